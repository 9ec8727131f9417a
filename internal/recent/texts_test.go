package recent

import (
	"fmt"
	"sync"
	"testing"
)

// A text has its own value, by whatever goroutine and however many others are asked about in between, and no more is kept than there may be.
func TestTextsHaveTheirValues(t *testing.T) {
	const most = 100
	texts := NewTexts(most, func(v []int) int { return len(v) })
	value := func(i int) []int { return make([]int, 1+i%7, 10+i) }
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 400 {
				for _, i := range []int{i, i / 2} {
					if got := texts.Get(fmt.Sprint("text ", i), func() []int { return value(i) }); len(got) != 1+i%7 || cap(got) != 10+i {
						t.Errorf("text %d has the value of another", i)
					}
				}
			}
		})
	}
	all.Wait()
	size := 0
	for _, v := range texts.of {
		size += len(v)
	}
	if size != texts.used || size > most || size < most/2 || len(texts.order) != len(texts.of) {
		t.Errorf("%d texts, %d in order, of size %d, counted as %d", len(texts.of), len(texts.order), size, texts.used)
	}
}

func TestTextIsAskedAboutOnce(t *testing.T) {
	texts := NewTexts[int](10, nil)
	for range 3 {
		asked := 0
		for i := range 10 {
			texts.Get(fmt.Sprint(i), func() int { asked++; return i })
		}
		if asked != 0 && asked != 10 {
			t.Errorf("%d of 10 texts were asked about again", asked)
		}
	}
	if texts.Get("9", func() int { return -1 }) != 9 {
		t.Error("a text that was asked about before is asked about again")
	}
	large := NewTexts(10, func(v int) int { return v })
	large.Get("small", func() int { return 10 })
	large.Get("large", func() int { return 11 })
	if large.Get("small", func() int { return 1 }) != 10 {
		t.Error("a value that does not fit has displaced another")
	}
}
