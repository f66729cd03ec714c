// SPDX-License-Identifier: Apache-2.0

enum AsyncFunctionName {
    /// Without "(2) await resume partial function for", as demanglers put before a part's name.
    static func whole(_ name: String) -> String {
        switch name.utf8.first {
        case UInt8(ascii: "("): withoutPart(name)
        case UInt8(ascii: "a"): isMainCaller(name) ? "async_Main" : name
        default: name
        }
    }

    private static func withoutPart(_ name: String) -> String {
        let start = name.dropFirst().drop { $0.isASCII && $0.isNumber }
        for mark in [
            ") await resume partial function for ", ") suspend resume partial function for ",
        ] where start.hasPrefix(mark) {
            return String(start.dropFirst(mark.count))
        }
        return name
    }

    private static func isMainCaller(_ name: String) -> Bool {
        guard name.hasPrefix("async_MainTQ") || name.hasPrefix("async_MainTY"), name.hasSuffix("_")
        else { return false }
        return name.dropFirst("async_MainTQ".count).dropLast().allSatisfy {
            $0.isASCII && $0.isNumber
        }
    }
}
