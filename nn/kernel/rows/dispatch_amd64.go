package rows

import "github.com/lethe-deid/lethe/nn/kernel"

// vectors is a set of assembly kernels: see gen/rows for what they compute. The first of each list
// is for rows of one register, the next for two, and so on. It is nil where the length is not a
// multiple of eight.
type vectors struct {
	width   int // values in a register
	sum     []func(dst, table *float64, stride int, at *int32, n int)
	addTo   []func(table *float64, stride int, at *int32, n int, src *float64)
	mulAdd  []func(dst, x *float64, xs int, m *float64, ms int, k int)
	expLess func(dst, src *float64, n int) float64
}

var avx2 = &vectors{
	width:   4,
	sum:     []func(dst, table *float64, stride int, at *int32, n int){nil, sum2AVX2, nil, sum4AVX2, nil, sum6AVX2, nil, sum8AVX2},
	addTo:   []func(table *float64, stride int, at *int32, n int, src *float64){nil, addTo2AVX2, nil, addTo4AVX2, nil, addTo6AVX2, nil, addTo8AVX2},
	mulAdd:  []func(dst, x *float64, xs int, m *float64, ms int, k int){nil, mulAdd2AVX2, nil, mulAdd4AVX2, nil, mulAdd6AVX2, nil, mulAdd8AVX2},
	expLess: expLessAVX2,
}

var avx512 = &vectors{
	width: 8,
	sum: []func(dst, table *float64, stride int, at *int32, n int){
		sum1AVX512, sum2AVX512, sum3AVX512, sum4AVX512, sum5AVX512, sum6AVX512, sum7AVX512, sum8AVX512},
	addTo: []func(table *float64, stride int, at *int32, n int, src *float64){
		addTo1AVX512, addTo2AVX512, addTo3AVX512, addTo4AVX512, addTo5AVX512, addTo6AVX512, addTo7AVX512, addTo8AVX512},
	mulAdd: []func(dst, x *float64, xs int, m *float64, ms int, k int){
		mulAdd1AVX512, mulAdd2AVX512, mulAdd3AVX512, mulAdd4AVX512, mulAdd5AVX512, mulAdd6AVX512, mulAdd7AVX512, mulAdd8AVX512},
	expLess: expLessAVX512,
}

// inUse is the set of kernels in use; nil stands for pure Go.
var inUse = map[string]*vectors{"avx2": avx2, "avx512": avx512}[kernel.Name()]

// blocks divides a row into parts for one call each, of at most eight registers.
func (v *vectors) blocks(length int, f func(from, registers int)) {
	for from := 0; from < length; from += 8 * v.width {
		f(from, min(8, (length-from)/v.width))
	}
}

func sum(dst, table []float64, at []int32) {
	if inUse == nil {
		sumGeneric(dst, table, at)
		return
	}
	inUse.blocks(len(dst), func(from, n int) { inUse.sum[n-1](&dst[from], &table[from], 8*len(dst), &at[0], len(at)) })
}

func addTo(table []float64, at []int32, src []float64) {
	if inUse == nil {
		addToGeneric(table, at, src)
		return
	}
	inUse.blocks(len(src), func(from, n int) { inUse.addTo[n-1](&table[from], 8*len(src), &at[0], len(at), &src[from]) })
}

func mulAdd(dst, x []float64, stride, n int, m []float64) {
	if inUse == nil {
		mulAddGeneric(dst, x, stride, n, m)
		return
	}
	inUse.blocks(len(dst), func(from, r int) { inUse.mulAdd[r-1](&dst[from], &x[0], 8*stride, &m[from], 8*len(dst), n) })
}

func expLess(dst, src []float64) float64 {
	if inUse == nil {
		return expLessGeneric(dst, src)
	}
	return inUse.expLess(&dst[0], &src[0], len(src)/inUse.width)
}
