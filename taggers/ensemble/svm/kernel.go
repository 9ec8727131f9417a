package svm

// kernel computes rows of the kernel matrix, and keeps the ones used last.
type kernel struct {
	rows     [][]float64
	gamma    float64
	capacity int         // number of rows that are kept
	kept     [][]float64 // by row; nil if it is not kept
	newer    []int       // by row: the next kept row that was used later; a ring with the row number len(rows) as its start
	older    []int
	count    int
}

func newKernel(rows [][]float64, gamma float64, megabytes int) *kernel {
	n := len(rows)
	k := &kernel{rows: rows, gamma: gamma, kept: make([][]float64, n), newer: make([]int, n+1), older: make([]int, n+1)}
	k.capacity = max(2, megabytes<<20/(8*n)) // a step uses two rows at once
	k.newer[n], k.older[n] = n, n
	return k
}

// row returns K_ij for all j. It is valid until the second next call.
func (k *kernel) row(i int) []float64 {
	if k.kept[i] != nil {
		k.unlink(i)
		k.link(i)
		return k.kept[i]
	}
	var values []float64
	if k.count == k.capacity {
		oldest := k.newer[len(k.rows)]
		values, k.kept[oldest] = k.kept[oldest], nil
		k.unlink(oldest)
	} else {
		values = make([]float64, len(k.rows))
		k.count++
	}
	for j, other := range k.rows {
		values[j] = kernelOf(k.rows[i], other, k.gamma)
	}
	k.kept[i] = values
	k.link(i)
	return values
}

func (k *kernel) unlink(i int) {
	k.newer[k.older[i]], k.older[k.newer[i]] = k.newer[i], k.older[i]
}

// link makes row i the one used last.
func (k *kernel) link(i int) {
	start := len(k.rows)
	last := k.older[start]
	k.newer[last], k.older[i], k.newer[i], k.older[start] = i, last, start, i
}
