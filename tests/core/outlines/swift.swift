import Foundation

/// Not part of it.
@available(iOS 13, *)
public final class Order<T: Equatable>: Base, Priced {
    static let limit = 10, other = 2
    private var name: String = "x"

    @Published var count: Int = 0 {
        willSet { log(newValue) }
        didSet { log(oldValue) }
    }

    var total: Int { return first + second }

    var full: String {
        get { return first }
        set { first = newValue }
    }

    let (low, high) = (1, 2)

    init(id: Int) {
        super.init()
    }

    convenience init?(text: String) {
        self.init(id: 1)
    }

    deinit { close() }

    subscript(index: Int) -> Int {
        get { return 1 }
    }

    @discardableResult
    public override func pay(_ amount: Int, by text: String = "x") throws -> Int {
        func local(_ value: Int) -> Int { return value }
        let twice = { (value: Int) -> Int in return value * 2 }
        let number = 3
        return twice(amount)
    }

    func pay(_ amount: String) -> Int { 1 }

    static func + (a: Order, b: Order) -> Order { a }

    typealias Handler = (Int) -> Void

    enum Level: Int, CaseIterable {
        case low = 1, high
        case other(Int, name: String)

        func weight() -> Int { 1 }
    }

    struct Point {
        var x: Int
    }
}

extension Order: CustomStringConvertible {
    var description: String { "order" }

    func pay(_ amount: Double) -> Int { 2 }
}

extension Array where Element == Int {
    func sum() -> Int { 0 }
}

extension Array where Element == Double {
    func sum() -> Double { 0 }
}

protocol Priced: AnyObject {
    associatedtype Item: Equatable
    var price: Int { get set }
    func visit(_ item: Item) -> Int
    init(price: Int)
}

actor Store {
    func put() async {}
}

func helper<T>(_ value: T) -> T where T: Equatable { value }

let top = [1, 2]
var computed: Int { 3 }

@freestanding(expression)
macro stringify<T>(_ value: T) -> String = #externalMacro(module: "Macros", type: "Stringify")

#if DEBUG
func trace() {}
#else
func trace(_ depth: Int) {}
#endif
