<?php

declare(strict_types=1);

namespace App\Shop;

use App\Base as Root;

const LIMIT = 10, OTHER = 2;
define('GLOBAL_LIMIT', 3);

/** Not part of it. */
#[Entity]
abstract class Order extends Root implements Priced, Named
{
    use Loggable, Traced {
        log as protected trace;
    }

    public const MAX = 1;
    private const string KIND = 'order';

    #[Inject]
    public ?int $count = 0, $other;
    public static $instance;

    public string $full {
        get => $this->first . 'b';
        set(string $value) {
            $this->first = $value;
        }
    }

    public function __construct(private readonly int $id, protected string $name = 'x')
    {
        $this->ready = true;
    }

    #[Pure]
    public static function find(int $id): ?self
    {
        return new static($id);
    }

    abstract protected function later(): void;

    public function total(int|string $amount, &$second, ...$rest)
    {
        $twice = function ($value) use ($amount) {
            return $value * 2;
        };
        $local = 3;
        function inner()
        {
        }
        return new class extends Root {
            public function total() { return 1; }
        };
    }
}

trait Loggable
{
    public function log() {}
}

interface Priced extends Named
{
    const RATE = 1;

    public function price(): int;
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';

    const Wild = self::Spades;

    public function label(): string { return ''; }
}

if (!function_exists('helper')) {
    function helper($first, $second = [1, 2]) { return 1; }
} else {
    function helper() {}
}

$config = [
    'debug' => true,
    "log.level" => 'info',
    'paths' => ['cache' => '/tmp', 'find' => fn($name) => $name],
    'list',
];
$config['limit'] = 3;
$app->get('/orders', function () { return 1; });
$handler = new class { public function run() {} };
?>
<html><?= $config['debug'] ?></html>
<?php

return ['version' => 1];
