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
        # HTML standard, 13.1.2: case of elements, what a void element holds, attributes without a value, tags left out.
        ("<DIV>a</DIV>", "<div>a</div>"),
        ("<p>a<br>b <i>c</i></p>", "<p>a<br />b <i>c</i></p>"),
        ("<p>a<br> b</p>", "<p>a<br/> b</p>"),
        ('<input disabled="">', "<input disabled>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<ul><li>a <li>b\n</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        ("<div><p>a <i>b</i> c</div>", "<div><p>a <i>b</i> c</p></div>"),
        # CSS Text 3, 4.1.2: white space at either end of a line goes, and a block begins and ends one.
        ("<div><b>a</b> c</div>", "<div>\n  <b>a</b> c\n</div>"),
        ("<button>\n  a b\n</button>", "<button>a b</button>"),
        ("<ul><li>a</li> <li>b</li></ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<div><b>a</b> <p>b</p> c</div>", "<div><b>a</b><p>b</p>c</div>"),
        # HTML standard, 13.1.2 and 13.1.2.5: case of attributes, and the line end that may begin a <pre>.
        ("<a ID=b HREF=c></a>", "<a id=b href=c></a>"),
        ("<pre>\na  b</pre>", "<pre>a  b</pre>"),
        ("<h1> <img> a </h1>", "<h1><img> a</h1>"),
        ("<ul>\n<li>a</li>\n</ul>", "<ul><li>a</li></ul>"),
        # Values that are sets of words, and declarations.
        ("<a class='b  c\n d'></a>", '<a class="b c d"></a>'),
        ("<a style='b:c;d : e'></a>", '<a style="b: c; d: e;"></a>'),
        ("<style>a{b:c}</style>", "<style>\n  a {\n    b: c;\n  }\n</style>"),
        ("<script>a('b')</script>", '<script>\n  a("b");\n</script>'),
        ('<script type=application/json>{"a":1}</script>', '<script type="application/json">\n{ "a": 1 }\n</script>'),
    ),
    different=(
        ("<p>a<b>c</b></p>", "<p>a <b>c</b></p>"),
        ("<p><b>a</b> <b>c</b></p>", "<p><b>a</b><b>c</b></p>"),
        ("<p>a b</p>", "<p>ab</p>"),
        ("<p><input a> <b>c</b></p>", "<p><input a><b>c</b></p>"),
        ("<p>a<br> <b>c</b></p>", "<p>a<br><b>c</b></p>"),
        ("<pre>a  b</pre>", "<pre>a b</pre>"),
        ("<pre>a\n b</pre>", "<pre>a\nb</pre>"),
        ("<textarea> a</textarea>", "<textarea>a</textarea>"),
        ("<script>a = ' b'</script>", "<script>a = '  b'</script>"),
        ("<script>a // b</script>", "<script>a // c</script>"),
        ("<script type='text/x'>a('b')</script>", "<script type='text/x'>a(\"b\")</script>"),
        ("<script lang='ts'>a('b')</script>", "<script lang='ts'>a(\"b\")</script>"),
        ("<script type='module'>a</script>", "<script>a</script>"),
        ("<style>a{b:c}</style>", "<style>a{b:d}</style>"),
        ("<a style='b:c'></a>", "<a style='b:d'></a>"),
        ("<a class='b c'></a>", "<a class='c b'></a>"),
        ("<div><p>a <i>b</i> c</div>", "<div><p>a <i>b</i>c</div>"),
        ("<b> a</b>", "<b>a</b>"),
        # What only begins with the name of such an element is another one.
        ("<p-a> <b>c</b></p-a>", "<p-a><b>c</b></p-a>"),
        ("<table-a><b>c</b> <b>d</b></table-a>", "<table-a><b>c</b><b>d</b></table-a>"),
        ("<p><button>a</button> <button>b</button></p>", "<p><button>a</button><button>b</button></p>"),
        ("<pre>\n\na</pre>", "<pre>\na</pre>"),
        ("<p>a<br> b</p>", "<p>a<br>b</p>"),
        ('<input value="">', "<input>"),
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
