// SPDX-License-Identifier: Apache-2.0

import Epitaph

/// What attributes and scopes cost, in nanoseconds each.
struct Costs {
    let reporter: CrashReporter

    func measure() async {
        print("attribute, number:    \(time(1_000_000) { try? reporter.setAttribute("n", to: 1) })")
        print("attribute, string:    \(time(1_000_000) { try? reporter.setAttribute("s", to: "x") })")
        print("breadcrumb:           \(time(1_000_000) { reporter.addBreadcrumb("message") })")
        print(
            "with two attributes:  \(time(200_000) { reporter.addBreadcrumb("m", attributes: ["a": 1, "b": "x"]) })")
        print("first scope:          \(time(1) { reporter.withScope([:]) {} })")
        print("scope, empty:         \(time(200_000) { reporter.withScope([:]) {} })")
        print(
            "scope, two:           \(time(200_000) { reporter.withScope(["a": 1, "b": "x"]) {} })")
        reporter.withScope([:]) {
            print("breadcrumb in scope:  \(time(1_000_000) { reporter.addBreadcrumb("message") })")
        }
    }

    private func time(_ count: Int, _ body: () -> Void) -> Int {
        let clock = ContinuousClock()
        let taken = clock.measure { for _ in 0..<count { body() } }
        return Int(taken.components.attoseconds / 1_000_000_000) / count
            + Int(taken.components.seconds) * 1_000_000_000 / count
    }
}
