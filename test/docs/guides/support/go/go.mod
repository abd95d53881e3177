module example.com/poll

go 1.19

require golang.org/x/crypto v0.24.0

require golang.org/x/sys v0.30.0 // indirect
