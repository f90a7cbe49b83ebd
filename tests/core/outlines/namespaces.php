<?php
namespace App\First {
    class Order { public $id; }
    function helper() {}
}

namespace App\Second {
    class Order { public $id; }
}

namespace {
    function main() {}
}
