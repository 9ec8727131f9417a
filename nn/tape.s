// There is no assembly here: the file allows a function without a body, which
// tape.go links to Gorgonia's.
