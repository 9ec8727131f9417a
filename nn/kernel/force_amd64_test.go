package kernel

// available returns the kernels that this processor supports.
func available() []string {
	names := []string{"generic"}
	for _, v := range []*vectors{avx2, avx512} {
		if choose(v.name) == v {
			names = append(names, v.name)
		}
	}
	return names
}

// force selects a kernel until the returned function is called.
func force(name string) func() {
	before := inUse
	inUse = choose(name)
	return func() { inUse = before }
}
