// SPDX-License-Identifier: Apache-2.0
//
// The same as errors.c for Swift.

final class Account {
    var balance: Int
    var limit: Int
    init(balance: Int) {
        self.balance = balance
        limit = 100
    }
}

nonisolated(unsafe) var sink = 0

@inline(never) func makeBuffer(_ count: Int) -> UnsafeMutablePointer<Int> {
    let buffer = UnsafeMutablePointer<Int>.allocate(capacity: count)
    buffer.initialize(repeating: 1, count: count)
    return buffer
}
@inline(never) func dropBuffer(_ buffer: UnsafeMutablePointer<Int>) { buffer.deallocate() }
@inline(never) func readElement(_ buffer: UnsafeMutablePointer<Int>, _ index: Int) {
    sink = buffer[index]
}
@inline(never) func writeElement(_ buffer: UnsafeMutablePointer<Int>, _ index: Int) {
    buffer[index] = 4
}
@inline(never) func openAccount() -> Unmanaged<Account> {
    Unmanaged.passRetained(Account(balance: 5))
}
@inline(never) func closeAccount(_ account: Unmanaged<Account>) { account.release() }
@inline(never) func addressOfBalance(_ account: Unmanaged<Account>) -> UnsafeMutablePointer<Int> {
    // Behind the object's header of two words.
    (account.toOpaque() + 16).assumingMemoryBound(to: Int.self)
}

let cases: [(String, () -> Void)] = [
    (
        "bufferFreed",
        {
            let buffer = makeBuffer(8)
            dropBuffer(buffer)
            readElement(buffer, 3)
        }
    ),
    ("bufferBehind", { readElement(makeBuffer(16), 16) }),
    ("bufferWrittenBehind", { writeElement(makeBuffer(32), 33) }),
    ("bufferBefore", { readElement(makeBuffer(8), -1) }),
    (
        "bufferTwice",
        {
            let buffer = makeBuffer(12)
            dropBuffer(buffer)
            dropBuffer(buffer)
        }
    ),
    (
        "objectFreed",
        {
            let account = openAccount()
            let balance = addressOfBalance(account)
            closeAccount(account)
            readElement(balance, 0)
        }
    ),
]

for (name, run) in cases {
    if CommandLine.argc == 1 { print(name) }
    if CommandLine.argc == 2, CommandLine.arguments[1] == name { run() }
}
