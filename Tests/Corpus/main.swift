// SPDX-License-Identifier: Apache-2.0
//
// swift WAY: Swift deaths.

import Dispatch
import Foundation

enum Tree {
    case leaf(Int)
    indirect case node(Tree, Tree)

    @inline(never) func sum(_ limit: Int) -> Int {
        switch self {
        case .leaf(let value):
            precondition(value < limit, "a leaf is too large")
            return value
        case .node(let left, let right): return left.sum(limit) + right.sum(limit)
        }
    }
}

@inline(never) func indexOutOfRange(_ count: Int) -> Int {
    let values = Array(0..<count)
    return values[count + 2]
}

@inline(never) func unwrap(_ text: String) -> Int {
    Int(text)!
}

@inline(never) func overflowing(_ value: Int) -> Int {
    value * .max
}

@inline(never) func inClosure(_ values: [Int]) -> [Int] {
    values.map { value in values.sorted { $0 / (value - 3) < $1 }.count }
}

class Resource {
    let count: Int
    init(_ count: Int) { self.count = count }
    deinit { print(indexOutOfRange(count)) }
}

@inline(never) func drop() {
    var resource: Resource? = Resource(3)
    print(resource?.count ?? 0)
    resource = nil
}

protocol Shape { func area(_ scale: Int) -> Int }
struct Square: Shape {
    let side: Int
    @inline(never) func area(_ scale: Int) -> Int { scale / (side - side) }
}

@inline(never) func generic<S: Shape>(_ shapes: [S]) -> Int { shapes.reduce(0) { $0 + $1.area(4) } }
@inline(never) func existential(_ shapes: [any Shape]) -> Int {
    shapes.lazy.map { $0.area(2) }.reduce(0, +)
}

enum Trouble: Error { case unexpected }
@inline(never) func fails(_ count: Int) throws -> Int {
    if count > 0 { throw Trouble.unexpected }
    return count
}

@inline(never) func recursion(_ depth: Int) -> Int {
    depth == 0 ? unwrap("none") : recursion(depth - 1) + 1
}

@inline(never) func nullWrite() {
    UnsafeMutablePointer<Int>(bitPattern: 64)?.pointee = 1
}

func inQueue() {
    DispatchQueue(label: "corpus").sync { print(unwrap("queue")) }
}

func inThread() {
    Thread { print(unwrap("thread")) }.start()
    sleep(20)
}

@inline(never) func awaited(_ depth: Int) async -> Int {
    await Task.yield()
    if depth == 0 { return unwrap("async") }
    return await awaited(depth - 1) + 1
}

func inTask() async {
    async let first = awaited(3)
    print(await first)
}

@inline(never) func forEver(_ depth: Int) -> Int {
    let values = [depth, depth + 1]
    return forEver(depth + 1) + values.reduce(0, +)
}

@inline(never) func asyncOverflow(_ depth: Int) async -> Int {
    await Task.yield()
    return forEver(depth) + 1
}

func inDeepThread() {
    let thread = Thread { print(forEver(1)) }
    thread.stackSize = 8 << 20
    thread.start()
    sleep(20)
}

let way = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ""
let tree = Tree.node(.leaf(1), .node(.leaf(2), .node(.leaf(30), .leaf(3))))
switch way {
case "index": print(indexOutOfRange(CommandLine.arguments.count))
case "unwrap": print(unwrap(way))
case "arithmetic": print(overflowing(CommandLine.arguments.count))
case "closure": print(inClosure([1, 2, 3, 4]))
case "deinit": drop()
case "generic": print(generic([Square(side: 1)]))
case "existential": print(existential([Square(side: 1)]))
case "precondition": print(tree.sum(10))
case "error": print(try! fails(2))
case "fatal-error": fatalError("the corpus gives up")
case "recursion": print(recursion(50))
case "null-write": nullWrite()
case "queue": inQueue()
case "thread": inThread()
case "async": await inTask()
case "deep": print(forEver(1))
case "deep-thread": inDeepThread()
case "deep-task": print(await asyncOverflow(1))
default: exit(2)
}
