//go:build !amd64

package rows

func sum(dst, table []float64, at []int32)                { sumGeneric(dst, table, at) }
func addTo(table []float64, at []int32, src []float64)    { addToGeneric(table, at, src) }
func mulAdd(dst, x []float64, stride, n int, m []float64) { mulAddGeneric(dst, x, stride, n, m) }
func expLess(dst, src []float64) float64                  { return expLessGeneric(dst, src) }
