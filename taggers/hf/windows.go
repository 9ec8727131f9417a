package hf

// piece is a run of subwords that windows do not divide: a word, or a part of a word that is too long
// for half a window.
type piece struct {
	word     int  // -1: white space, whose labels mean nothing
	first    int  // the subword whose labels are used
	from, to int  // range of subwords
	opens    bool // whether a sentence begins with it
}

// divide returns the pieces of words, of at most most subwords each. opens tells by word whether a sentence begins
// with it.
func divide(words []word, opens []bool, most int) []piece {
	var all []piece
	for i, w := range words {
		p := piece{i, w.first, w.from, w.to, opens[i]}
		for p.to-p.from > most {
			part := p
			part.to = p.from + most
			if part.to <= part.first { // much white space before the word
				part.word, part.first = -1, part.from
			} else {
				p.first = part.to
			}
			all = append(all, part)
			p.from, p.opens = part.to, false
		}
		all = append(all, p)
	}
	return all
}

// window is the range [from, to) of pieces that the network reads at once.
type window struct{ from, to int }

// cut returns windows of at most room subwords, which contain all pieces. Each shares up to stride subwords
// with the one before. A window ends before a sentence if one begins in its second half, and
// begins with a sentence if one begins in the first half of what it shares. No piece
// may have more than room/2 subwords, and stride must be at most room/2.
func cut(pieces []piece, room, stride int) []window {
	var all []window
	from, done := 0, 0 // pieces before done are in a window
	for done < len(pieces) {
		begin := pieces[from].from
		to := from
		for to < len(pieces) && pieces[to].to-begin <= room {
			to++
		}
		if to < len(pieces) {
			for k := to; k > done && pieces[k].from-begin >= room/2; k-- {
				if pieces[k].opens {
					to = k
					break
				}
			}
		}
		all = append(all, window{from, to})
		if done = to; to == len(pieces) {
			break
		}
		end := pieces[to-1].to
		from = to
		for from > 0 && end-pieces[from-1].from <= stride {
			from--
		}
		for k := from; k < to && 2*(end-pieces[k].from) >= stride; k++ {
			if pieces[k].opens {
				from = k
				break
			}
		}
	}
	return all
}

// weight returns how much a window counts for one of its pieces: the distance in subwords from the nearer cut. The
// ends of the text are no cuts.
func (w window) weight(pieces []piece, k int) float64 {
	const far = 1 << 30
	left, right := far, far
	if w.from > 0 {
		left = pieces[k].first - pieces[w.from].from + 1
	}
	if w.to < len(pieces) {
		right = pieces[w.to-1].to - pieces[k].first
	}
	return float64(min(left, right))
}
