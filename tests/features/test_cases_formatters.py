"""Case 14 from the field: format-on-save throws marks away."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.asking import stale_shown
from support.samples import lines_of, replacing
from support.stage import Stage

from lsp_server.core.text import TextChange

UGLY = {
    "a.py": (
        """\
        def one( user,limit = 3 ):
          total=check( user,10 )
          return total*limit
        class Shop:
          def two( self,day ):
            return self.hours( day,'08:00' )
        def three( a,b ): return mix( a,b )+[ 1,2,3 ]
        """,
        """\
        def one(user, limit=3):
            total = check(user, 10)
            return total * limit


        class Shop:
            def two(self, day):
                return self.hours(day, "08:00")


        def three(a, b):
            return mix(a, b) + [
                1,
                2,
                3,
            ]
        """,
        ("one", "Shop.two", "three"),
    ),
    "a.js": (
        """\
        function one( user,limit=3 ){ const total=check( user,10 )
        return total*limit }
        class Shop{ two( day ){return this.hours( day,'08:00' )} }
        const three=( a,b )=>mix( a,b ).concat( [ 1,2,3 ] )
        """,
        """\
        function one(user, limit = 3) {
          const total = check(user, 10);
          return total * limit;
        }

        class Shop {
          two(day) {
            return this.hours(day, "08:00");
          }
        }

        const three = (a, b) =>
          mix(a, b).concat([
            1,
            2,
            3,
          ]);
        """,
        ("one", "Shop.two", "three"),
    ),
    "a.ts": (
        """\
        export function one( user:string,limit=3 ):number{ const total=check( user,10 )
        return total*limit }
        class Shop{ two( day:Day ):Hours{return this.hours( day,'08:00' )} }
        const three=( a:number[],b:number[] )=>mix( a,b ).concat( [ 1,2,3 ] )
        """,
        """\
        export function one(user: string, limit = 3): number {
          const total = check(user, 10);
          return total * limit;
        }

        class Shop {
          two(day: Day): Hours {
            return this.hours(day, "08:00");
          }
        }

        const three = (a: number[], b: number[]) =>
          mix(a, b).concat([
            1,
            2,
            3,
          ]);
        """,
        ("one", "Shop.two", "three"),
    ),
    "a.go": (
        """\
        package a
        func one( user string,limit int ) int { total:=check( user,10 )
        return total*limit }
        type Shop struct{ days int }
        func ( s *Shop ) two( day int ) string { return s.hours( day,"08:00" ) }
        var three = []int{ 1,2,3 }
        """,
        """\
        package a

        func one(user string, limit int) int {
        \ttotal := check(user, 10)
        \treturn total * limit
        }

        type Shop struct{ days int }

        func (s *Shop) two(day int) string { return s.hours(day, "08:00") }

        var three = []int{
        \t1,
        \t2,
        \t3,
        }
        """,
        ("one", "Shop.two", "three"),
    ),
    "a.rs": (
        """\
        fn one( user:&str,limit:i32 )->i32{ let total=check( user,10 );
        total*limit }
        struct Shop{ days:i32 }
        impl Shop{ fn two( &self,day:i32 )->Hours{ self.hours( day,"08:00" ) } }
        fn three( a:i32,b:i32 )->Vec<i32>{ mix( a,b,vec![ 1,2,3 ] ) }
        """,
        """\
        fn one(user: &str, limit: i32) -> i32 {
            let total = check(user, 10);
            total * limit
        }

        struct Shop {
            days: i32,
        }

        impl Shop {
            fn two(&self, day: i32) -> Hours {
                self.hours(day, "08:00")
            }
        }

        fn three(a: i32, b: i32) -> Vec<i32> {
            mix(
                a,
                b,
                vec![1, 2, 3],
            )
        }
        """,
        ("one", "Shop.two", "three"),
    ),
    "A.java": (
        """\
        class A{ int one( String user,int limit ){ int total=check( user,10 );
        return total*limit; }
        static class Shop{ Hours two( int day ){ return hours( day,"08:00" ); } }
        int[] three( int a,int b ){ return mix( a,b,new int[]{ 1,2,3 } ); } }
        """,
        """\
        class A {
          int one(String user, int limit) {
            int total = check(user, 10);
            return total * limit;
          }

          static class Shop {
            Hours two(int day) {
              return hours(day, "08:00");
            }
          }

          int[] three(int a, int b) {
            return mix(
                a,
                b,
                new int[] {1, 2, 3});
          }
        }
        """,
        ("A.one", "A.Shop.two", "A.three"),
    ),
    "a.cpp": (
        """\
        int one( const char*user,int limit ){ int total=check( user,10 );
        return total*limit; }
        class Shop{ public: Hours two( int day ){ return hours( day,"08:00" ); } };
        Numbers three( int a,int b ){ return mix( a,b,Numbers{ 1,2,3 } ); }
        """,
        """\
        int one(const char *user, int limit) {
          int total = check(user, 10);
          return total * limit;
        }

        class Shop {
        public:
          Hours two(int day) { return hours(day, "08:00"); }
        };

        Numbers three(int a, int b) {
          return mix(
              a,
              b,
              Numbers{1, 2, 3});
        }
        """,
        ("one", "Shop.two", "three"),
    ),
}


def dedent(text: str) -> str:
    return "".join(line.removeprefix("        ") for line in text.splitlines(keepends=True))


@pytest.mark.parametrize("file", UGLY)
async def test_case_14_a_formatter_replaces_the_whole_text(tmp_path: Path, file: str) -> None:
    ugly, pretty, symbols = dedent(UGLY[file][0]), dedent(UGLY[file][1]), UGLY[file][2]
    (tmp_path / file).write_text(ugly)
    async with Stage(tmp_path, {}) as stage:
        for number, symbol in enumerate(symbols):
            await stage.record(f"{file}#{symbol}", text=f"Decision {number}.")
        await stage.open(file)
        assert [mark.code for mark in stage.problems(file)] == ["fresh"] * 3
        stage.edit(file, pretty)
        where = [next(n for n, line in enumerate(lines_of(pretty)) if name in line) for name in ("one", "two", "three")]
        shown = [(mark.line, mark.code in ("fresh", "reformatted")) for mark in stage.problems(file)]
        assert shown == [(line, True) for line in where], stage.problems(file)
        for symbol, line in zip(symbols, where, strict=True):
            mark = next(mark for mark in stage.problems(file) if mark.line == line)
            assert lines_of(pretty)[line][mark.start : mark.end] == symbol.rpartition(".")[2]
        # The other way a formatter works: empty the buffer, then fill it, before it is quiet again.
        for between in ("", "\n"):
            document = stage.session.document(file)
            assert document is not None
            stage.session.change(file, document.version + 1, [replacing(ugly, "zzz", "")] if False else [], "utf-16")
            stage.session.change(file, document.version + 2, [TextChange(None, between)], "utf-16")
            stage.session.judge(file, settled=False)
            assert not any(stale_shown(stage, file)), "lost for a moment"
            stage.edit(file, ugly)
            assert [mark.code for mark in stage.problems(file)] == ["fresh"] * 3
