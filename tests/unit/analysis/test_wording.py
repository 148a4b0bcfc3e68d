"""Numbers and lists in plain words."""

import pytest

from pdgmm.analysis.wording import count_of, duration, first_few, latents, listed, number, percent, plain


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (number(None), "n/a"),
        (number(-0.001), "0.00"),
        (percent(0.5), "50%"),
        (percent(0.996), "99.6%"),
        (percent(0.004), "0.4%"),
        (percent(0.996, 0), "100%"),
        (percent(None), "n/a"),
        (duration(40.2), "40 s"),
        (duration(125), "2 min 5 s"),
        (duration(10920), "3 h 2 min"),
        (count_of(1, "row"), "1 row"),
        (count_of(1200, "row"), "1,200 rows"),
        (latents([]), "no latent"),
        (latents([2]), "latent 2"),
        (latents([1, 2, 3]), "latents 1, 2 and 3"),
        (latents([1, 2, 4, 5, 6, 7, 9]), "latents 1, 2, 4 to 7 and 9"),
        (listed([]), "none"),
        (first_few("abcdefg"), "a, b, c, d, e and 2 more"),
        (plain("a\u202eb\nc\x00"), "a\ufffdb c\ufffd"),
        (plain("Größe 身長 \u200c"), "Größe 身長 \u200c"),
    ],
)
def test_words(words, expected):
    assert words == expected
