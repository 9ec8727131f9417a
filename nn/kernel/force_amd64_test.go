package kernel

// available is the kernels that this processor has.
func available() []string {
	names := []string{"generic"}
	for _, v := range []*vectors{avx2, avx512} {
		if choose(v.name) == v {
			names = append(names, v.name)
		}
	}
	return names
}

// force makes a kernel the one in use until the returned function is called.
func force(name string) func() {
	before := inUse
	inUse = choose(name)
	return func() { inUse = before }
}
