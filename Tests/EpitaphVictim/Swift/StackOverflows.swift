// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Called through a variable that could be anything, or the optimiser makes a loop of the recursion.
nonisolated(unsafe) var recursion: (Int, Int) -> Int = recurseForEver

/// Has an end that no stack is large enough for.
@inline(never) func recurseForEver(_ depth: Int, _ above: Int) -> Int {
    guard depth > 0 else { return above }
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { here in
        here.initialize(repeating: above)
        return recursion(depth - 1, here[depth % 64] &+ 1) &+ here[0]
    }
}

@inline(never) func overflow() {
    print(recurseForEver(.max, CommandLine.arguments.count))
}

/// Overflows the stack of the kind of thread that `way` names; false when it names none.
func overflowStack(_ way: String) -> Bool {
    switch way {
    case "overflow-main": overflow()
    case "overflow-foundation-thread": Thread { overflow() }.start()
    case "overflow-dispatch": DispatchQueue.global().async { overflow() }
    case "overflow-task": Task.detached { overflow() }
    default: return false
    }
    for _ in 0..<60 { sleep(1) }
    return true
}
