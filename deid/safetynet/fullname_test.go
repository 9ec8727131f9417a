package safetynet

import "testing"

// TestTextThatIsANameStayed has names that stayed when they were the whole text, and texts that are no names.
func TestTextThatIsANameStayed(t *testing.T) {
	for _, name := range []string{
		"John Doe", "JANE DOE", "Smith, John", "jane doe", " Wei Zhang\n", "John Q. Smith", "SMITH, JOHN Q", "Siobhán O'Brien", "O'BRIEN, SIOBHÁN", "Jean-Luc Picard",
		"Juan Pérez García", "MARÍA DEL CARMEN LÓPEZ", "Pérez García, Juan", "laura gómez", "Jeffery Murphy",
	} {
		if s, ok := FullName(name); !ok || s.Type != "PATIENT" || name[s.Start:s.End] == "" {
			t.Errorf("%q: %+v, %v", name, s, ok)
		}
	}
	if s, _ := FullName(" Wei Zhang\n"); s.Start != 1 || s.End != 10 {
		t.Errorf("span %+v", s)
	}
	for _, text := range []string{
		"", " ", "John", "Smith", "Rose Bengal", "Ivor Lewis oesophagectomy", "Ivor Lewis", "Ann Arbor IIB", "KOOS JR", "SHO review", "Gordon y Chaddock", "Candida parapsilosis", "Crawford II",
		"mercedes, ruta y combi", "Thx, Travis", "John Smith came in", "John Smith.", "John 3:16", "Graves Disease", "Bence Jones", "Foster Kennedy", "dolores menstruales", "iris atrophy",
		"John,", ", John", "John, ", "Mary of", "Juan de la", "Teresa X", "John Smith, Jane Doe, Joe Roe", "A A A", "Robert Jones", "Arnold Chiari", "ARNOLD-CHIARI", "Jackson Pratt", "candida auris", "CANDIDA TROPICALIS", "Cornelia de Lange", "melissa officinalis", "rosa de bengala", "Yasmin Etinilestradiol",
	} {
		if s, ok := FullName(text); ok {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

func FuzzFullName(f *testing.F) {
	f.Add("Smith, John")
	f.Add("  \xff, a")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := FullName(text); ok && (s.Start < 0 || s.End > len(text) || s.Start >= s.End) {
			t.Errorf("%q: %+v", text, s)
		}
	})
}
