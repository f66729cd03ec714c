// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Something with enough calls, generics and closures to look like a program.
struct OrderBook {
    struct Order {
        let customer: String
        let amount: Int

        @inline(never)
        func ranks(before other: Order) -> Bool {
            (customer, amount) < (other.customer, other.amount)
        }
    }

    let orders: [Order]

    init(number: Int) {
        orders = (0..<200).map { index in
            Order(customer: "customer \(index * 7919 % 200)", amount: index ^ number)
        }
    }

    /// Writes through the pointer the account book gives, which is where the program dies.
    @inline(never)
    func settle(_ account: ([Order]) -> UnsafeMutablePointer<Int>?) {
        orders.map(\.amount).withUnsafeBufferPointer { amounts in
            for amount in amounts { account(orders)?.pointee = amount }
        }
    }
}

/// A tree whose value takes as many calls as it is deep.
indirect enum Expression {
    case leaf(Int)
    case sum(Expression, Expression)

    static func made(ofDepth depth: Int) -> Expression {
        depth == 0 ? .leaf(1) : .sum(made(ofDepth: depth - 1), .leaf(depth))
    }

    @inline(never)
    func value(_ read: (Int) -> Int) -> Int {
        switch self {
        case .leaf(let number): read(number)
        case .sum(let left, let right): left.value(read) + right.value(read)
        }
    }
}

@inline(never)
@discardableResult
func descend(_ depth: Int) -> Int {
    guard depth > 0 else {
        OrderBook(number: 1).settle { _ in UnsafeMutablePointer(bitPattern: 16) }
        return 0
    }
    var depth = depth
    // What may have been changed has to be kept on the stack, so this stays a recursion.
    return withUnsafeMutablePointer(to: &depth) { depth in
        let below = descend(depth.pointee - 1)
        getentropy(depth, 1)
        return below &+ depth.pointee
    }
}

func runOnLargeStack(_ body: @escaping @Sendable () -> Void) {
    startThread(stackByteCount: 64 << 20, body)
    while true { sleep(1) }
}
