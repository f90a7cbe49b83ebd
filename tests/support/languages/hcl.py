"""HCL, as Terraform has it: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
variable "zone" {
  default = "eu"
}

resource "aws_s3_bucket" "logs" {$0
  bucket = "logs-${var.zone}"
  count  = var.on ? 1 : 0
  tags   = { Owner = "ops", Cost = 3 }

  lifecycle {
    prevent_destroy = true
  }

  ports = [80, 443]
}
"""

BLOCKS = """\
resource "a" "b" {
  ingress {$0
    port = 80
    from = ["10.0.0.0/8", "10.1.0.0/16"]
  }
  ingress {
    port = 443
  }
}
"""

TYPES = """\
resource "a" "x" {$0
  one = 1
  two = [1, 2, 3]
}

data "a" "x" {
  one = 1
  two = [1, 2, 4]
}
"""

POLICY = """\
locals {
  policy = <<-EOT
    {
      "a": $01
    }
  EOT
}
"""

CASES = LanguageCases(
    file="a.tf",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ("count  =", "count ="),
        ('{ Owner = "ops", Cost = 3 }', '{\n    Owner = "ops"\n    Cost  = 3\n  }'),
        ("[80, 443]", "[\n    80,\n    443,\n  ]"),
        ("${var.zone}", "${ var.zone }"),
    ),
    same=(
        ("a = [1, 2,]", "a = [1, 2]"),
        ("a = f(b, c,)", "a = f(b, c)"),
        ("a = { b = 1, c = 2 }", "a = {\n b = 1\n c = 2\n}"),
        ('a = "\\u0041"', 'a = "A"'),
        ('a = "b${c}d"', 'a = "b${ c }d"'),
        ("a = 1 // why", "a = 1"),
        ("a = 1 /* why */", "a = 1"),
        ("b {\n  a = 1\n}", "b { a = 1 }"),
    ),
    different=(
        ('a = "b c"', 'a = "b  c"'),
        ('a = "b${c} d"', 'a = "b${c}  d"'),
        ('a = "b${c}"', 'a = "b${d}"'),
        ("a = 1", 'a = "1"'),
        ("a = <<EOT\nb\nEOT\n", "a = <<EOT\n b\nEOT\n"),
        ("a = <<EOT\nb\nEOT\n", "a = <<-EOT\nb\nEOT\n"),
        ("a = [b, c]", "a = [c, b]"),
        ("a = { b = 1, c = 2 }", "a = { c = 2, b = 1 }"),
        ("a = (b + c) * d", "a = b + c * d"),
        ('r "a" "b" {}', 'r "a" "c" {}'),
        ('r "a" {}', "r a {}"),
        ("b {\n  c {}\n}", "b {}\nc {}"),
        ("a = b.*.c", "a = b[*].c"),
        ("a = b ? c : d", "a = b ? d : c"),
    ),
    silent=("# a", "// a", "/* a */", "# tflint-ignore: all"),
    edits=(
        ("prevent_destroy = true", "prevent_destroy = false", "changed body"),
        ("[80, 443]", "[80]", "changed body"),
        ("bucket = ", "name = ", "changed body"),
        ('"logs"', '"audit"', "moved"),
        ("aws_s3_bucket", "aws_bucket", "changed interface"),
        ("  lifecycle", "  # why\n  lifecycle", "reformatted"),
        ('"eu"', '"us"', "fresh"),
        ("variable", 'module "a" {}\n\nvariable', "fresh"),
    ),
    verdicts=(
        (BLOCKS, BLOCKS.replace("443", "8443"), "fresh"),
        (BLOCKS, BLOCKS.replace("port = 80", "port = 81"), "changed body"),
        (BLOCKS, BLOCKS.replace('"b" {', '"b" {\n  ingress {\n    port = 22\n  }'), "fresh"),
        (TYPES, TYPES.replace("4]", "5]"), "fresh"),
        (TYPES, TYPES.replace("3]", "5]"), "changed body"),
        (TYPES, TYPES[TYPES.index("data") :], "missing symbol_gone"),
        (POLICY, POLICY.replace('"a": $01', '"a":  $01'), "changed body"),
        ('job "a.b" {\n  c = $01\n}\n', 'job "a.b" {\n  c = $02\n}\n', "changed body"),
    ),
)
