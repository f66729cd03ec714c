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
            if parts.isEmpty || isBeginning(line) {
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

    private static func isBeginning(_ line: Substring) -> Bool {
        let rest = place(of: line)?.rest ?? line
        return SaidMessage.swiftKinds.contains { rest.hasPrefix($0) || line.hasPrefix($0) }
            || line.hasPrefix("Fatal access conflict detected")
            || line.hasPrefix("Could not cast value of type")
    }

    /// `Module/File.swift:12: ` at the start, and what follows it.
    private static func place(
        of message: Substring
    ) -> (file: Substring, line: Int?, rest: Substring)? {
        let file = message.prefix { $0 != ":" && $0 != "\n" }
        let line = message[file.endIndex...].dropFirst().prefix { $0.isASCII && $0.isNumber }
        let rest = message[line.endIndex...]
        guard file.hasSuffix(".swift"), file != ".swift", !line.isEmpty, rest.hasPrefix(": "),
            message[file.endIndex] == ":"
        else { return nil }
        return (file, Int(line), rest.dropFirst(2))
    }

    private static func isOf(_ frames: [ReportFrame], _ message: String) -> Bool {
        guard let place = place(of: message[...]) else { return false }
        let name = String(place.file).lastPathComponent
        return frames.contains { frame in
            guard let source = frame.source, source.line == place.line else { return false }
            return source.file == name || source.file.hasSuffix("/\(name)")
        }
    }
}
