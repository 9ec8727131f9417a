package brown

import (
	"math"
	"slices"
)

// bigrams are the counts of words and of pairs of adjacent words in a text. Word
// 0 is the most frequent.
type bigrams struct {
	counts []int64       // by word: its occurrences in the text
	after  [][]neighbour // by word: the words that follow it
	before [][]neighbour // by word: the words before it
}

type neighbour struct{ word, count int32 }

// table contains the active clusters, up to a fixed number, and for each pair of
// them the mutual information that is lost by merging them. The mutual
// information of adjacent clusters (Brown et al. 1992, section 3) is
//
//	I = sum over a, b of n(a,b)/N log( n(a,b)/N / (c(a)/T c(b)/T) )
//
// where n(a,b) is the number of times that a word of b follows one of a, c(a) the
// number of occurrences of words of a in the text, N the number of pairs and T
// the number of words. Pairs with a word that is in no cluster yet do not count
// in n, but do count in c (as in Liang's program). With f(x) = x log x, and s(a)
// the sum of n(a,b) and n(b,a) over the active clusters b, counting a itself
// twice,
//
//	N I = sum of f(n(a,b)) - sum of s(a) log c(a) + constant
//
// so merging a and b loses, with g(x,y) = f(x) + f(y) - f(x+y), which is 0 if x
// or y is 0,
//
//	sum over clusters d other than a and b of g(n(a,d), n(b,d)) + g(n(d,a), n(d,b))           shared(a,b)
//	+ f(n(a,a)) + f(n(a,b)) + f(n(b,a)) + f(n(b,b)) - f(n(a,a) + n(a,b) + n(b,a) + n(b,b))    own(a,b)
//	+ s(a) log (c(a)+c(b))/c(a) + s(b) log (c(a)+c(b))/c(b)                                   marginal(a,b)
//
// Brown et al. and Liang update the losses of all pairs after each merge, in
// O(k²). This table updates only the pairs whose loss changes: both clusters must
// be neighbours of the merged ones, and one of them a neighbour of the merged
// cluster with fewer neighbours. In nearly all merges, that cluster is a rare
// word.
type table struct {
	text *bigrams
	size int // slots
	k    int // active clusters: slots 0 to k-1

	n, t    []int32   // n(a,b) at a*size+b, and at b*size+a
	loss    []float64 // at a*size+b, for a < b
	logs    []float64 // log(c(a)+c(b)) at a*size+b
	s, c    []int64
	log     []float64 // log c(a)
	words   [][]int32 // by cluster, ascending
	cluster []int32   // by word: the slot of its cluster, or -1

	f             []float64 // x log x of small x
	delta, shared []float64 // scratch rows
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

// xlogx returns f(x) = x log x.
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

// row returns the counts of what follows a cluster, and column the counts of what
// precedes it.
func (c *table) row(a int) []int32    { return c.n[a*c.size:][:c.k] }
func (c *table) column(a int) []int32 { return c.t[a*c.size:][:c.k] }

// addRow adds delta to the losses of a with all other clusters, and clears delta.
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

// setLogs recomputes the logarithms that depend on c of a cluster.
func (c *table) setLogs(a int) {
	c.log[a] = math.Log(float64(c.c[a]))
	for b := range c.k {
		log := math.Log(float64(c.c[a] + c.c[b]))
		c.logs[a*c.size+b], c.logs[b*c.size+a] = log, log
	}
}

// add makes a new cluster of one word.
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
		// Pairs of a with others: s(a) has grown, and the other cluster may be a neighbour of the word, too.
		more := float64(follows[a]) + float64(precedes[a])
		for b, log := range c.logs[a*c.size:][:w] {
			c.delta[b] = more * (log - c.log[a])
		}
		for _, b := range c.live {
			c.delta[b] += c.g(follows[a], follows[b]) + c.g(precedes[a], precedes[b]) // only neighbours before a, so that each pair counts once
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

// share adds to shared(w,b), for a fixed cluster w and every b, the change in
// their term for cluster d when the count of w with d changes from from to to. y
// contains the counts of each b with d. The sums exclude b = d.
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

// best returns the first pair with the least loss.
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

// merge merges two clusters. Others may move to different slots.
func (c *table) merge(s, t int) {
	if c.degree(s) < c.degree(t) {
		s, t = t, s
	}
	// The losses of other pairs.
	c.mergeBeside(s, t, c.column(s), c.column(t))
	c.mergeBeside(s, t, c.row(s), c.row(t))

	// Update shared(s,b): remove t, and add the neighbours of t.
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
	for b := range c.k { // rows first, then columns, so that the counts of t with itself end at (s,s)
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

// degree returns the number of neighbours of a cluster.
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

// mergeBeside updates the losses of pairs of other clusters for what they share
// with s and t, which are merged. sn and tn are the counts of each cluster with s
// and with t, in one direction.
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
			case tb == 0: // a faster form of the case below
				c.delta[b] = base - c.xlogx(ua+sb) + c.xlogx(sa+sb)
			case b > a: // each pair once
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

// mutual returns I. All words must be in a cluster.
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
