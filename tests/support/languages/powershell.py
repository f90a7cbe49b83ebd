"""PowerShell: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
$Limit = 3

function Pay {
    param([int]$Amount, [int]$Rate = 2)
    if ($Amount -gt $Limit) {
        Write-Log 'a' $Amount
    }
    $rates = @($Rate, $Amount)
    $0return (Get-Total $rates) * $Amount
}
"""

BASKET = """\
class $0Basket : Base {
    [int]$Limit = 3

    [int] Add([int]$n) {
        return $n + 1
    }
}
"""

OVERLOADS = """\
class Basket {
    [int] Add([int]$n) { return $n + $this.Sum + $01 }
    [int] Add([string]$s) { return $s.Length }
}
"""

MANIFEST = """\
@{
    ModuleVersion = '1.0'
    PrivateData = @{
        PSData = @{
            Tags = @('a', $0'b')
        }
    }
}
"""

CASES = LanguageCases(
    file="a.ps1",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ("'a' $Amount", '"a" $amount'),
        ("function Pay", "Function Pay"),
        ("    return", "    Return"),
        ("-gt $Limit", "-GT $limit"),
        ("$rates = @($Rate, $Amount)", "$rates = @($rate, $amount);"),
    ),
    same=(
        ("a; b", "a\nb"),
        ("a;", "a"),
        ("if ($a) { b; }", "if ($a) {\n    b\n}"),
        ("f a `\n  -B c", "f a -B c"),
        ("f  a", "f a"),
        ("$x = 1 + `\n  2", "$x = 1 + 2"),
        ("$x = 'a'", '$x = "a"'),
        ("$x = @{ a = 1; b = 2 }", "$x = @{\n    a = 1\n    b = 2\n}"),
        ("Get-Item -Path $p", "get-item -path $P"),
        ("IF ($a -EQ 1) { b }", "if ($a -eq 1) { b }"),
        ("$x = 0xFF", "$x = 0xff"),
        ("$x = [INT]1", "$x = [int]1"),
        ("$x = 1 # why", "$x = 1"),
        ("<# why #>\n$x = 1", "$x = 1"),
        ("function F{1}", "function F {\n    1\n}"),
    ),
    different=(
        ("$x = 'a b'", "$x = 'a  b'"),
        ("$x = 'A'", "$x = 'a'"),
        # Only double quotes put values in.
        ("$x = '$a'", '$x = "$a"'),
        ("$x = 'a`n'", '$x = "a`n"'),
        ("f a b", "f ab"),
        ("f A", "f a"),
        ("f -A b", "f -B b"),
        ("$x = ($a + $b) * 2", "$x = $a + $b * 2"),
        ("$x = @(1)", "$x = (1)"),
        ("$x = 1, 2", "$x = 2, 1"),
        ("$x = @{ a = 1 }", "$x = @{ a = 2 }"),
        ("$x = @'\na b\n'@", "$x = @'\na  b\n'@"),
        ("$a -eq 1", "$a -ceq 1"),
        ("$a -lt 1", "$a -le 1"),
        ("a | b", "b | a"),
        ("a && b", "a || b"),
        ("a > b", "a >> b"),
        ("& $a", ". $a"),
        ("$script:x = 1", "$x = 1"),
        ("function F($a) { }", "function F($a, $b) { }"),
        ("function F($a = 1) { }", "function F($a = 2) { }"),
        ("function F { param([int]$a) }", "function F { param($a) }"),
        ("function F { [CmdletBinding()] param($a) }", "function F { param($a) }"),
        ("function F { begin { a } }", "function F { end { a } }"),
        ("filter F { 1 }", "function F { 1 }"),
        ("class A { [int]$B }", "class A { [string]$B }"),
        ("class A { static [int]$B }", "class A { [int]$B }"),
        ("enum A { B = 1 }", "enum A { B = 2 }"),
        ("foreach ($i in $a) { b; c }", "foreach ($i in $a) { b } c"),
        ("try { a } catch { b }", "try { a } finally { b }"),
        ("$a.B()", "$a.B"),
        ("[A]::B()", "[A]::C()"),
    ),
    counting=("#Requires -Version 5.1", "#requires -RunAsAdministrator"),
    silent=("# PSScriptAnalyzer", "#region a", "<# a #>"),
    edits=(
        ("-gt $Limit", "-ge $Limit", "changed body"),
        ("'a'", "'b'", "changed body"),
        ("$Rate = 2", "$Rate = 3", "changed interface"),
        ("[int]$Amount, ", "", "changed interface"),
        ("function Pay", "function Settle", "moved"),
        ("function Pay", "function pay", "moved"),
        ("    if", "    # why\n\n    if", "reformatted"),
        ("$Limit = 3", "$Limit = 4", "fresh"),
    ),
    verdicts=(
        (BASKET, BASKET.replace("$n + 1", "$n + 2"), "changed members"),
        (BASKET, BASKET.replace("$Limit = 3", "$Limit = 4"), "changed body"),
        (BASKET, BASKET.replace(": Base", ": Other"), "changed interface"),
        (OVERLOADS, OVERLOADS.replace("$s.Length", "$s.Count"), "fresh"),
        (OVERLOADS, OVERLOADS.replace("Basket {\n", "Basket {\n    [int] Add() { return 0 }\n"), "fresh"),
        (OVERLOADS, OVERLOADS.replace("$01 }", "$02 }"), "changed body"),
        (MANIFEST, MANIFEST.replace("'1.0'", "'1.1'"), "fresh"),
        (MANIFEST, MANIFEST.replace("$0'b'", "$0'c'"), "changed body"),
        (
            "if ($IsWindows) {\n    function Get-Mode { Read-Key 'a' $01 }\n} else {\n    function Get-Mode { 2 }\n}\n",
            "if ($IsWindows) {\n    function Get-Mode { Read-Key 'a' $01 }\n} else {\n    function Get-Mode { 3 }\n}\n",
            "fresh",
        ),
    ),
)
