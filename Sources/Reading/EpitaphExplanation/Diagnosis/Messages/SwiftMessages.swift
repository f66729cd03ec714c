// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Swift's runtime appends crash messages to earlier ones: `reportOnCrash` in
/// stdlib/public/runtime/Errors.cpp. If two threads fail at once, only one is the crashing
/// thread's.
enum SwiftMessages {
    /// Swift's messages split and deduplicated, the crashing thread's first.
    static func sorted(_ messages: [CrashMessage], _ frames: [ReportFrame]) -> [CrashMessage] {
        messages.flatMap { message -> [CrashMessage] in
            guard message.source == "swift" else { return [message] }
            let parts = parts(message.text)
            guard parts.count > 1 else { return [message] }
            var different: [String] = []
            for part in parts where !different.contains(part) { different.append(part) }
            let own = different.firstIndex { isOf(frames, $0) } ?? 0
            different.insert(different.remove(at: own), at: 0)
            return different.map { CrashMessage(source: message.source, text: $0) }
        }
    }

    /// Messages can span lines: a new one begins with its kind or its place.
    private static func parts(_ text: String) -> [String] {
        var parts: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if parts.isEmpty || line.prefixMatch(of: beginning) != nil {
                parts.append(String(line))
            } else {
                parts[parts.count - 1] += "\n" + line
            }
        }
        return parts.map { part in
            var part = part
            while part.last == "\n" { part.removeLast() }
            return part
        }
    }

    nonisolated(unsafe) private static let beginning =
        #/
        (?: [^:\n]+ \.swift : [0-9]+ :\ )?
        (?: Fatal\ error | Precondition\ failed | Assertion\ failed )
        | Fatal\ access\ conflict\ detected | Could\ not\ cast\ value\ of\ type
        /#

    nonisolated(unsafe) private static let place =
        #/(?:[^:\n]*/)?([^:/\n]+\.swift):([0-9]+): /#

    private static func isOf(_ frames: [ReportFrame], _ message: String) -> Bool {
        guard let place = message.prefixMatch(of: place)
        else { return false }
        return frames.contains { frame in
            guard let source = frame.source, source.line == Int(place.2) else { return false }
            return source.file == place.1 || source.file.hasSuffix("/\(place.1)")
        }
    }
}
