# Above is no block.
terraform {
  required_version = ">= 1.5"

  backend "s3" {
    bucket = "state"
  }
}

locals {
  name = "shop"
  tags = {
    Owner      = "ops"
    "cost.key" : 3
  }
}

resource "aws_s3_bucket" "logs" {
  bucket = "${local.name}-logs"

  lifecycle_rule {
    enabled = true
  }
  lifecycle_rule { enabled = false }

  dynamic "grant" {
    for_each = [{ id = 1 }, { id = 2 }]
    content {
      id = grant.value.id
    }
  }

  policy = <<-EOT
    resource "not" "one" {
      a = 1
    }
  EOT
}

resource "aws_s3_bucket" "data" {}
module "vpc" { source = "./vpc" }
moved {
  from = a.b
  to   = a.c
}
moved {
  from = a.d
  to   = a.e
}
job web "a.b" { }
