package checkpoints

import "testing"

func TestVocabularyNote(t *testing.T) {
	c := card()
	c.VocabularyNote = "Its vocabulary holds words. It holds lists, too."
	text, err := c.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	if got := VocabularyNote(text); got != c.VocabularyNote {
		t.Errorf("note %q", got)
	}
	if got := VocabularyNote([]byte("# Somebody's own card\n\n## Privacy\n\nNothing.\n")); got != "" {
		t.Errorf("note %q in a card without one", got)
	}
}
