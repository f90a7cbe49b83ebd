"""Dockerfiles: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
FROM debian:12 AS build
WORKDIR /app
$0RUN --mount=type=cache,target=/var apt update && apt install -y gcc "a  b"
COPY src ./src
RUN make

FROM scratch
COPY --from=build /app /app
ENTRYPOINT ["/app/run", "-v"]
"""

LONG = """\
FROM debian:12
RUN$0 apt-get update \\
    && apt-get install -y gcc make \\
    && rm -rf /var/lib/apt
RUN echo done
"""

NAMES = """\
FROM debian:12
ARG VERSION=1.2.$03
ENV VERSION=1.2.4 PATH="/opt/bin:$PATH"
"""

SCRIPT = """\
FROM debian:12
RUN$0 <<EOF
make all
  make install
EOF
"""

CASES = LanguageCases(
    file="a.dockerfile",
    comment="#",
    sample=SAMPLE,
    layout=(0, 1, 2, 6),
    style_edits=(("apt update &&", "apt  update   &&"), ("install -y", "install   -y")),
    before="FROM a\n",
    after="\n",
    same=(
        ("ENV a b", "ENV a=b"),
        ("RUN a b", "RUN a   b"),
        ("RUN a \\\n  && b", "RUN a && b"),
        ("RUN a \\\n  # why\n  && b", "RUN a && b"),
        ("RUN a 'b c' \\\n      d", "RUN a 'b c' d"),
        ('CMD ["a", "b"]', 'CMD [ "a","b" ]'),
        ('CMD ["\\u0041"]', 'CMD ["A"]'),
        ("COPY a b", "COPY   a   b"),
        ("ENV A=1 \\\n  B=2", "ENV A=1 B=2"),
    ),
    different=(
        ("RUN a b", "RUN ab"),
        ("RUN a 'b  c'", "RUN a 'b c'"),
        ('RUN a "b  c"', 'RUN a "b c"'),
        ('RUN a "$(b "c  d")"', 'RUN a "$(b "c d")"'),
        ("RUN a b", 'RUN ["a", "b"]'),
        ("RUN a && b", "RUN a || b"),
        ("RUN <<EOF\na\nEOF", "RUN <<EOF\n  a\nEOF"),
        ("CMD a", "ENTRYPOINT a"),
        ('CMD ["a b"]', 'CMD ["a", "b"]'),
        ("COPY a b", "COPY b a"),
        ("COPY --from=x a b", "COPY a b"),
        ("ENV A=1", "ENV A=2"),
        ("ENV A=1", "ARG A=1"),
        ("FROM b", "FROM c"),
        ("FROM b AS c", "FROM b"),
        ("FROM b:1", "FROM b:2"),
        ("USER a", "USER b"),
        ("EXPOSE 80", "EXPOSE 80/udp"),
    ),
    counting=("# syntax=docker/dockerfile:1", "# escape=`"),
    silent=("# a", "# hadolint ignore=DL3008"),
    edits=(
        ("gcc", "clang", "changed body"),
        ('"a  b"', '"a b"', "changed body"),
        ("target=/var", "target=/tmp", "changed body"),
        ("RUN make", "RUN make all", "fresh"),
        ("WORKDIR /app", "RUN echo first\nWORKDIR /app", "fresh"),
        ("FROM scratch", "FROM debian:13", "fresh"),
    ),
    verdicts=(
        (LONG, LONG.replace("    &&", "  &&"), "reformatted"),
        (LONG, LONG.replace("    && rm", "    # why\n    && rm"), "reformatted"),
        (LONG, LONG.replace("gcc", "clang"), "changed body"),
        (LONG, "FROM debian:12\nRUN echo done\n", "missing symbol_gone"),
        (NAMES, NAMES.replace("1.2.4", "1.2.5"), "fresh"),
        (NAMES, NAMES.replace("1.2.$03", "1.2.$05"), "changed body"),
        (SCRIPT, SCRIPT.replace("  make install", "make install"), "changed body"),
        (
            "FROM a:1 AS$0 build\nRUN make\nFROM b\n",
            "FROM a:2 AS$0 build\nRUN make\nFROM b\n",
            "changed body",
        ),
    ),
)
