"""Invented notes in which the units of offsets differ, and where Lethe finds PHI. Everybody in them is invented."""

NOTES = {
    "plain": "Mrs. Harriet Quimby was seen by Dr. Oswald Pemberton on 03/14/2087.",
    "emoji": "\U0001F600 Patient \U0001F469\U0001F3FD\u200D\u2695\uFE0F: Mrs. Harriet Quimby, seen by Dr. Oswald Pemberton on 03/14/2087 \U0001F44D.",
    "astral": "\U0001D400\U0001D401 \U00020BB7 Mrs. Harriet Quimby was seen by Dr. Oswald Pemberton on 03/14/2087.",
    "combining": "Mrs. Zoe\u0308 Quimby, de\u0301ja\u0300 vu, was seen by Dr. Oswald Pemberton on 03/14/2087.",
    "crlf": "Visit\r\n\r\nMrs. Harriet Quimby\r\nwas seen by Dr. Oswald Pemberton\r\non 03/14/2087.\r\n",
    "lf": "Visit\n\nMrs. Harriet Quimby\nwas seen by Dr. Oswald Pemberton\non 03/14/2087.\n",
    "cr": "Visit\rMrs. Harriet Quimby\rwas seen by Dr. Oswald Pemberton on 03/14/2087.",
    "bom": "\uFEFFMrs. Harriet Quimby was seen by Dr. Oswald Pemberton on 03/14/2087.",
    "blanks": "\t\tMrs. Harriet  Quimby   was seen by Dr. Oswald Pemberton on 03/14/2087.",
    "markup": "<b>&amp;</b> \"Mrs.\" Harriet Quimby's notes: seen by Dr. Oswald Pemberton on 03/14/2087 <br>",
    "lines": "a\u0085b\u2028c\u2029 Mrs. Harriet Quimby was seen by Dr. Oswald Pemberton on 03/14/2087.",
    "right to left": "\u05E9\u05DC\u05D5\u05DD Mrs. Harriet Quimby was seen by Dr. Oswald Pemberton on 03/14/2087 \u05E2\u05D5\u05DC\u05DD",
    "nothing": "Nothing to find here \U0001F600.",
    "empty": "",
}
