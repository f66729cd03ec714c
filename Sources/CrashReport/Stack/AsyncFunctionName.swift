// SPDX-License-Identifier: Apache-2.0

/// The names of the parts that the compiler cuts an `async` function into.
enum AsyncFunctionName {
    /// The name of the function its author wrote, from that of one of its parts: demanglers say
    /// "(2) await resume partial function for" before it.
    static func whole(_ name: String) -> String {
        for mark in [
            " await resume partial function for ", " suspend resume partial function for ",
        ] {
            let start = name.dropFirst().drop { $0.isASCII && $0.isNumber }
            guard name.hasPrefix("("), start.hasPrefix(")" + mark) else { continue }
            return String(start.dropFirst(mark.count + 1))
        }
        // The one that calls a program's async main, of which demanglers know nothing.
        return name.wholeMatch(of: #/async_MainT[QY][0-9]*_/#) == nil ? name : "async_Main"
    }
}
