pragma circom 2.0.0;

// n public inputs and one constraint: a · b = 1 + x₀ + 2·x₁ + … + n·xₙ₋₁.
template Linear(n) {
    signal input x[n];
    signal input a;
    signal input b;
    var sum = 1;
    for (var i = 0; i < n; i++) {
        sum += (i + 1) * x[i];
    }
    a * b === sum;
}
