// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import Glibc

/// What attributes and scopes cost, in nanoseconds of this thread's processor time each.
struct ScopeCosts {
    func measure() {
        show("attribute, a number", 1_000_000) { Epitaph["n"] = 1 }
        show("attribute, a short text", 1_000_000) { Epitaph["s"] = "x" }
        show("breadcrumb", 1_000_000) { Epitaph.note("message") }
        show("breadcrumb with two attributes", 200_000) {
            Epitaph.note("message", attributes: ["a": 1, "b": "x"])
        }
        show("the first scope of a process", 1) { Epitaph.scope([:]) {} }
        show("scope without attributes", 200_000) { Epitaph.scope([:]) {} }
        show("scope with two attributes", 200_000) {
            Epitaph.scope(["a": 1, "b": "x"]) {}
        }
        Epitaph.scope([:]) {
            show("breadcrumb in a scope", 1_000_000) { Epitaph.note("message") }
        }
    }

    private func show(_ name: String, _ count: Int, _ body: () -> Void) {
        let start = nanoseconds
        for _ in 0..<count { body() }
        print("\(name): \((nanoseconds - start) / count) ns")
    }

    private var nanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
