module example.com/poll

go 1.19

require golang.org/x/crypto v0.14.0

require golang.org/x/sys v0.13.0 // indirect
