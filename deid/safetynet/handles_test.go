package safetynet

import "testing"

// Handles without digits stayed behind the names of networks, and behind DM.
func TestHandlesOfLettersStayed(t *testing.T) {
	checkFound(t, Handles, []string{
		"instagram «kboateng»",
		"WhatsApp «kboateng», mañana",
		"dm «priyanair» please",
		"DM «mdelgado» re bed 4",
		"her facebook is «kboateng».",
		"Telegram: @«kboateng»",
		"tiktok «xqzvortex»",
		"username «drnwosu»",
		"usuario «mdelgado»",
		"instagram and facebook posts about dieting",
		"posts on instagram daily, facebook addiction",
		"whatsapp promotora de salud, whatsapp kinesio",
		"whatsapp grupo de apoyo, facebook desde joven",
		"DM uncontrolled on metformin, dm neuropathy",
		"DM insulin dependent, dm retinopathy, dm gastroparesis",
		"login failed, username required, usuario habitual de cannabis",
		"instagram.com and https://facebook.com/about",
	})
}

// A handle behind another one stayed, and words behind the names of networks went.
func TestHandlesBesideHandlesStayed(t *testing.T) {
	checkFound(t, Handles, []string{
		"instagram «kboateng» whatsapp «mdelgado»", "dm «mdelgado» dm «kdelgado»",
		"Uses facebook marketplace daily, wechat acupuncturist, telegram conspiracists",
	})
}
