// SPDX-License-Identifier: Apache-2.0

import Glibc

enum CrashWay: String {
    case nullWrite = "null-write"
    case abort
    case fatalError = "fatal-error"
    case index
    case stackOverflow = "stack-overflow"
    case inTask = "in-task"
}

@inline(never)
func crash(_ way: CrashWay) {
    switch way {
    case .nullWrite: crashNullWrite()
    case .abort: abort()
    case .fatalError: crashFatalError()
    case .index: crashIndex([1, 2, 3])
    case .stackOverflow: print(crashStackOverflow(1))
    case .inTask: break
    }
}

@inline(never)
func crashNullWrite() {
    UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
}

@inline(never)
func crashFatalError() {
    fatalError("the ledger does not balance")
}

@inline(never)
func crashIndex(_ numbers: [Int]) {
    print(numbers[numbers.count + Int(getpid() & 1)])
}

@inline(never)
func crashStackOverflow(_ depth: Int) -> Int {
    depth == .max ? 0 : crashStackOverflow(depth + 1) + 1
}

@inline(never)
func crashInTask() async -> String {
    await Task.yield()
    crashNullWrite()
    return "survived"
}
