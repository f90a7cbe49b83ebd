#Requires -Version 5.1
<#
.SYNOPSIS
Payments.
#>
param(
    [string]$Path = ".",
    [switch]$Force
)

$script:Limit = 3
$Rate, $Step = 1, 2
[int]$Count = 4
$Global:Table = @{
    Name  = 'a'
    Value = 1
    Inner = @{
        Depth = 3
        'odd key' = 4
    }
}

# Takes money.
function Get-Payment {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)][int]$Amount,
        [int]$Rate = 2
    )
    begin { $total = 0 }
    process {
        $total += $Amount * $Rate
        function Inner { 1 }
    }
    end { return $total }
}

function Short($a, [int]$b = 1) { $a + $b }
filter Select-Even { if ($_ % 2 -eq 0) { $_ } }
function global:Set-All { }
workflow Flow { }
$Handler = { param($x) $x * 2 }
Set-Alias gp Get-Payment

class Basket : Base, IDisposable {
    [string]$Owner
    static [int]$Total = 0
    hidden [int] $Secret

    Basket([string]$owner) {
        $this.Owner = $owner
    }


    [int] Add([int]$n) {
        return $n + 1
    }
    [int] Add([string]$n) { return 1 }
    static [void] Clear() { }
}

enum Color {
    Red
    Green = 2
}


Describe "Get-Payment" {
    It "takes money" {
        Get-Payment 1 | Should -Be 2
    }
}

if ($IsWindows) {
    function Get-Mode { 'win' }
} else {
    function Get-Mode { 'unix' }
}

Configuration Site {
    Node localhost { }
}
