package brown

import (
	"math"
	"slices"
)

// bigrams is what the words of a text say of each other: how often one stands right before another. Word 0 is the most frequent.
type bigrams struct {
	counts []int64       // by word: how often it is in the text
	after  [][]neighbour // by word: what follows it
	before [][]neighbour // by word: what it follows
}

type neighbour struct{ word, count int32 }

// table holds active clusters, at most a fixed number, and for each two of them what merging them would lose of the mutual information
//
//	I = sum over a, b of n(a,b)/N log( n(a,b)/N / (c(a)/T c(b)/T) )
//
// of neighbouring clusters (Brown et al. 1992, section 3), where n(a,b) is how often a word of b follows one of a, c(a) how often a word of a is in the
// text, N the number of pairs and T that of words. Pairs with a word that is in no cluster yet do not count, but are in c (so has it
// Liang's program). With f(x) = x log x and s(a) the sum of n(a,b) and n(b,a) over the active clusters b, a itself counting twice,
//
//	N I = sum of f(n(a,b)) - sum of s(a) log c(a) + constant
//
// so that merging a and b loses, with g(x,y) = f(x) + f(y) - f(x+y), which is 0 if x or y is,
//
//	sum over clusters d other than a and b of g(n(a,d), n(b,d)) + g(n(d,a), n(d,b))           shared(a,b)
//	+ f(n(a,a)) + f(n(a,b)) + f(n(b,a)) + f(n(b,b)) - f(n(a,a) + n(a,b) + n(b,a) + n(b,b))    own(a,b)
//	+ s(a) log (c(a)+c(b))/c(a) + s(b) log (c(a)+c(b))/c(b)                                   marginal(a,b)
//
// Brown et al. and Liang bring the losses of all pairs up to date after each merge, in O(k²). Here only those pairs are touched that change: both must be
// neighbours of what was merged, and one of them of the part that has fewer neighbours. For nearly all merges that part is a rare word.
type table struct {
	text *bigrams
	size int // slots
	k    int // active clusters: slots 0 to k-1

	n, t    []int32   // n(a,b) at a*size+b, and at b*size+a
	loss    []float64 // at a*size+b, for a < b
	logs    []float64 // log(c(a)+c(b)) at a*size+b
	s, c    []int64
	log     []float64 // log c(a)
	words   [][]int32 // of each cluster, ascending
	cluster []int32   // by word: its slot; -1 if it has none yet

	f             []float64 // x log x of small x
	delta, shared []float64 // room for a row
	live          []int32
}

func newTable(text *bigrams, size int) *table {
	t := &table{
		text: text, size: size,
		n: make([]int32, size*size), t: make([]int32, size*size), loss: make([]float64, size*size), logs: make([]float64, size*size),
		s: make([]int64, size), c: make([]int64, size), log: make([]float64, size),
		words: make([][]int32, size), cluster: make([]int32, len(text.counts)),
		f: make([]float64, 1<<16), delta: make([]float64, size), shared: make([]float64, size),
	}
	for i := range t.cluster {
		t.cluster[i] = -1
	}
	for x := 1; x < len(t.f); x++ {
		t.f[x] = float64(x) * math.Log(float64(x))
	}
	return t
}

// xlogx is f.
func (c *table) xlogx(x int32) float64 {
	if uint(x) < uint(len(c.f)) {
		return c.f[x]
	}
	return float64(x) * math.Log(float64(x))
}

func (c *table) g(x, y int32) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return c.xlogx(x) + c.xlogx(y) - c.xlogx(x+y)
}

func (c *table) own(a, b int) float64 {
	aa, ab, ba, bb := c.n[a*c.size+a], c.n[a*c.size+b], c.n[b*c.size+a], c.n[b*c.size+b]
	return c.xlogx(aa) + c.xlogx(ab) + c.xlogx(ba) + c.xlogx(bb) - c.xlogx(aa+ab+ba+bb)
}

func (c *table) marginal(a, b int) float64 {
	log := c.logs[a*c.size+b]
	return float64(c.s[a])*(log-c.log[a]) + float64(c.s[b])*(log-c.log[b])
}

func (c *table) at(a, b int) *float64 {
	if a > b {
		a, b = b, a
	}
	return &c.loss[a*c.size+b]
}

// row is a row of n, the numbers of what follows a cluster; column is what precedes it.
func (c *table) row(a int) []int32    { return c.n[a*c.size:][:c.k] }
func (c *table) column(a int) []int32 { return c.t[a*c.size:][:c.k] }

// addRow adds delta to the losses of a with every other cluster, and clears it.
func (c *table) addRow(a int) {
	for b := range a {
		if c.delta[b] != 0 {
			c.loss[b*c.size+a] += c.delta[b]
		}
	}
	row := c.loss[a*c.size:][:c.k]
	for b := a + 1; b < c.k; b++ {
		row[b] += c.delta[b]
	}
	clear(c.delta[:c.k])
}

// setLogs computes what follows from c of a cluster.
func (c *table) setLogs(a int) {
	c.log[a] = math.Log(float64(c.c[a]))
	for b := range c.k {
		log := math.Log(float64(c.c[a] + c.c[b]))
		c.logs[a*c.size+b], c.logs[b*c.size+a] = log, log
	}
}

// add makes a cluster of a word.
func (c *table) add(word int32) {
	w := c.k
	c.k++
	c.cluster[word] = int32(w)
	c.words[w] = []int32{word}
	for a := range c.k {
		c.n[w*c.size+a], c.n[a*c.size+w], c.t[w*c.size+a], c.t[a*c.size+w] = 0, 0, 0, 0
	}
	c.s[w], c.c[w] = 0, c.text.counts[word]
	count := func(x, y, n int32) {
		if x >= 0 && y >= 0 {
			c.n[int(x)*c.size+int(y)] += n
			c.t[int(y)*c.size+int(x)] += n
			c.s[x] += int64(n)
			c.s[y] += int64(n)
		}
	}
	for _, next := range c.text.after[word] {
		count(int32(w), c.cluster[next.word], next.count)
	}
	for _, next := range c.text.before[word] {
		if next.word != word {
			count(c.cluster[next.word], int32(w), next.count)
		}
	}
	c.setLogs(w)

	follows, precedes := c.row(w), c.column(w)
	clear(c.shared[:c.k])
	c.live = c.live[:0]
	for a := range w {
		if follows[a] == 0 && precedes[a] == 0 {
			continue
		}
		// The pairs of a with others: s(a) has grown, and the other may be a neighbour of the word, too.
		more := float64(follows[a]) + float64(precedes[a])
		for b, log := range c.logs[a*c.size:][:w] {
			c.delta[b] = more * (log - c.log[a])
		}
		for _, b := range c.live {
			c.delta[b] += c.g(follows[a], follows[b]) + c.g(precedes[a], precedes[b]) // the neighbours before a, so that a pair counts once
		}
		c.live = append(c.live, int32(a))
		c.delta[a] = 0
		c.addRow(a)
		c.share(follows[a], 0, c.column(a), a)
		c.share(precedes[a], 0, c.row(a), a)
	}
	for a := range w {
		c.loss[a*c.size+w] = c.shared[a] + c.own(a, w) + c.marginal(a, w)
	}
}

// share adds to shared(w,b) of some cluster w and each b what their number of cluster d is worth, more for the number to of w than for the number from:
// y has the numbers of each b. A cluster is not shared with itself.
func (c *table) share(to, from int32, y []int32, d int) {
	if to == from {
		return
	}
	base := c.xlogx(to) - c.xlogx(from)
	for b, n := range y {
		if n != 0 && b != d {
			c.shared[b] += base - c.xlogx(to+n) + c.xlogx(from+n)
		}
	}
}

// best is the pair with the least loss; of several the first.
func (c *table) best() (s, t int) {
	least := math.Inf(1)
	for a := range c.k {
		for b, x := range c.loss[a*c.size:][a+1 : c.k] {
			if x < least {
				least, s, t = x, a, a+1+b
			}
		}
	}
	return s, t
}

// merge makes one cluster of two; others may change their slots.
func (c *table) merge(s, t int) {
	if c.degree(s) < c.degree(t) {
		s, t = t, s
	}
	// The losses of other pairs.
	c.mergeBeside(s, t, c.column(s), c.column(t))
	c.mergeBeside(s, t, c.row(s), c.row(t))

	// shared(s,b), as it is without t and with the neighbours of t.
	size := c.size
	for b := range c.k {
		c.shared[b] = 0
		if b != s && b != t {
			c.shared[b] = *c.at(s, b) - c.own(s, b) - c.marginal(s, b) -
				c.g(c.n[s*size+t], c.n[b*size+t]) - c.g(c.n[t*size+s], c.n[t*size+b])
		}
	}
	for d := range c.k {
		if d != s && d != t {
			c.share(c.n[s*size+d]+c.n[t*size+d], c.n[s*size+d], c.column(d), d)
			c.share(c.n[d*size+s]+c.n[d*size+t], c.n[d*size+s], c.row(d), d)
		}
	}
	for b := range c.k { // the rows first, then the columns, so that t's own numbers end at s, s
		c.n[s*size+b] += c.n[t*size+b]
	}
	for b := range c.k {
		c.n[b*size+s] += c.n[b*size+t]
	}
	for b := range c.k {
		c.t[b*size+s], c.t[s*size+b] = c.n[s*size+b], c.n[b*size+s]
	}
	c.s[s] += c.s[t]
	c.c[s] += c.c[t]
	c.setLogs(s)
	for b := range c.k {
		if b != s && b != t {
			*c.at(s, b) = c.shared[b] + c.own(s, b) + c.marginal(s, b)
		}
	}
	for _, w := range c.words[t] {
		c.cluster[w] = int32(s)
	}
	c.words[s] = append(c.words[s], c.words[t]...)
	slices.Sort(c.words[s])
	c.vacate(t)
}

// degree is how many neighbours a cluster has.
func (c *table) degree(a int) int {
	n := 0
	for _, line := range [][]int32{c.row(a), c.column(a)} {
		for _, x := range line {
			if x != 0 {
				n++
			}
		}
	}
	return n
}

// mergeBeside brings the losses of pairs of other clusters up to date for what they share with s and t, which become one. sn and tn have the numbers of
// each cluster with s and t, on one side.
func (c *table) mergeBeside(s, t int, sn, tn []int32) {
	c.live = c.live[:0]
	for b := range c.k {
		if b != s && b != t && (sn[b] != 0 || tn[b] != 0) {
			c.live = append(c.live, int32(b))
		}
	}
	for _, a := range c.live {
		if tn[a] == 0 {
			continue
		}
		sa, ua := sn[a], sn[a]+tn[a]
		base := c.xlogx(ua) - c.xlogx(sa)
		for _, b := range c.live {
			switch sb, tb := sn[b], tn[b]; {
			case tb == 0: // the same as below, shorter
				c.delta[b] = base - c.xlogx(ua+sb) + c.xlogx(sa+sb)
			case b > a: // a pair once
				c.delta[b] = c.g(ua, sb+tb) - c.g(sa, sb) - c.g(tn[a], tb)
			}
		}
		c.addRow(int(a))
	}
}

// vacate moves the last cluster to slot t.
func (c *table) vacate(t int) {
	last, size := c.k-1, c.size
	c.k--
	if t == last {
		return
	}
	for b := range c.k {
		if b != t {
			*c.at(t, b) = *c.at(last, b)
		}
		c.logs[t*size+b], c.logs[b*size+t] = c.logs[last*size+b], c.logs[b*size+last]
		c.n[t*size+b], c.n[b*size+t] = c.n[last*size+b], c.n[b*size+last]
		c.t[t*size+b], c.t[b*size+t] = c.t[last*size+b], c.t[b*size+last]
	}
	c.logs[t*size+t] = c.logs[last*size+last]
	c.n[t*size+t] = c.n[last*size+last]
	c.t[t*size+t] = c.t[last*size+last]
	c.s[t], c.c[t], c.log[t] = c.s[last], c.c[last], c.log[last]
	c.words[t] = c.words[last]
	for _, w := range c.words[t] {
		c.cluster[w] = int32(t)
	}
}

// mutual is I, all words being in a cluster.
func (c *table) mutual() float64 {
	var pairs, words, sum float64
	for a := range c.k {
		words += float64(c.c[a])
		sum -= float64(c.s[a]) * c.log[a]
		for _, n := range c.row(a) {
			pairs += float64(n)
			sum += c.xlogx(n)
		}
	}
	return sum/pairs - math.Log(pairs) + 2*math.Log(words)
}
