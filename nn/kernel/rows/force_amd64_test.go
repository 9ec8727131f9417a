package rows

import "github.com/lethe-deid/lethe/nn/kernel"

// available returns the kernels that this processor supports; nil stands for pure Go.
func available() map[string]*vectors {
	all := map[string]*vectors{"generic": nil}
	switch kernel.Name() {
	case "avx512":
		all["avx512"] = avx512
		fallthrough
	case "avx2":
		all["avx2"] = avx2
	}
	return all
}

// each runs f with each of the kernels.
func each(f func(name string)) {
	before := inUse
	defer func() { inUse = before }()
	for name, v := range available() {
		inUse = v
		f(name)
	}
}
