"""HTML: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
<body>
<p>before</p>
<form id="pay" class="wide" action='/pay'>$0
  <label>Amount <b>in</b> <i>EUR</i></label>
  <input name="amount" value="30" disabled>
  <button type="submit">Pay now</button>
</form>
<p>after</p>
</body>
"""

NESTED = """\
<main id="main">$0
  <h1>Shop</h1>
  <nav id="menu"><a href="/a">one</a> <a href="/b">two</a></nav>
  <p>Text about the shop.</p>
</main>
"""

CASES = LanguageCases(
    file="a.html",
    comment="<!--",
    comment_end=" -->",
    sample=SAMPLE,
    style_edits=(
        ("'/pay'", '"/pay"'),
        ('"wide"', "wide"),
        ("Pay now", "Pay\n    now"),
        ("disabled>", "disabled />"),
        ('name="amount"', '\n    name="amount"'),
    ),
    same=(
        ("<a b='c'></a>", '<a b="c"></a>'),
        ("<a b=c></a>", '<a b="c"></a>'),
        ("<br>", "<br/>"),
        ("<p><input a> <b>c</b></p>", "<p><input a />\n<b>c</b></p>"),
        ("<p>a b</p>", "<p>a\n   b</p>"),
        ("<p>a <b>c</b></p>", "<p>a\n <b>c</b></p>"),
        ("<p>a</p>\n<!-- why -->\n<p>b</p>", "<p>a</p>\n<p>b</p>"),
        # Between the rows of a table white space is nothing.
        ("<table><tr><td>a</td></tr></table>", "<table>\n  <tr>\n    <td>a</td>\n  </tr>\n</table>"),
        ("<textarea b='c'> a</textarea>", '<textarea\n  b="c"> a</textarea>'),
        ("<a\n  b='c'\n  d\n></a>", '<a b="c" d></a>'),
    ),
    different=(
        ("<p>a<b>c</b></p>", "<p>a <b>c</b></p>"),
        ("<p><b>a</b> <b>c</b></p>", "<p><b>a</b><b>c</b></p>"),
        ("<p>a b</p>", "<p>ab</p>"),
        ("<p><input a> <b>c</b></p>", "<p><input a><b>c</b></p>"),
        ("<p>a<br> <b>c</b></p>", "<p>a<br><b>c</b></p>"),
        ("<ul><li>a</li> <li>b</li></ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<pre>a  b</pre>", "<pre>a b</pre>"),
        ("<pre>a\n b</pre>", "<pre>a\nb</pre>"),
        ("<textarea> a</textarea>", "<textarea>a</textarea>"),
        ("<script>a = ' b'</script>", "<script>a = '  b'</script>"),
        ("<a b='c'></a>", "<a b='d'></a>"),
        ("<a b='c  d'></a>", "<a b='c d'></a>"),
        ("<a b='c'></a>", "<a></a>"),
        ("<a></a>", "<b></b>"),
        ("<a b c></a>", "<a c b></a>"),
        ("<p>&amp;</p>", "<p>&lt;</p>"),
        ("<p><b>a</b>c</p>", "<p><b>ac</b></p>"),
    ),
    silent=("<!-- a -->", "<!-- prettier-ignore -->"),
    edits=(
        ("30", "31", "changed body"),
        ("Pay now", "Pay later", "changed body"),
        ('type="submit"', 'type="button"', "changed body"),
        ("</b> <i>", "</b><i>", "changed body"),
        ("/pay'", "/paid'", "changed interface"),
        ('"pay"', '"order"', "moved"),
        ("  <input", "  <!-- why -->\n  <input", "reformatted"),
        ("before", "first", "fresh"),
    ),
    verdicts=(
        (NESTED, NESTED.replace("/b", "/c"), "changed members"),
        (NESTED, NESTED.replace("about", "of"), "changed body"),
        (NESTED, NESTED.replace("main id", "main class='a' id"), "changed interface"),
        (
            '<p id="a">$0one two</p>\n<p id="a">three four</p>\n',
            '<p id="a">$0one two</p>\n<p id="a">three five</p>\n',
            "fresh",
        ),
        ('<input id=a$0 value="1">', '<input id=a$0 value="2">', "changed interface"),
    ),
)
