// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

/// Snapshots made to harm the reader of a report.
package enum HostileSnapshot {
    /// What breaks out of a tag, an attribute, a comment, CDATA, a script, a style sheet, a JSON
    /// string or a line, where it is not escaped.
    package static let texts = [
        "<script>alert(1)</script>", "\" onload=\"alert(1)", "' onmouseover='alert(1)",
        "</style><script>alert(2)</script>", "</title></head><img src=x onerror=alert(3)>",
        "]]><b>", "--><i>", "<!--", "&lt;b&gt;&#60;", "javascript:alert(4)", "</pre></details>",
        "\u{202e}gpj.exe", "\u{2066}isolated\u{2069}", "\u{0}nul", "\u{1b}[2J\u{7}",
        "\u{85}\u{2028}",
        "\\u003cscript\\u003e", "a\u{301}\u{301}\u{301}", "\u{feff}", "\u{fffe}", "${7*7}{{7*7}}",
    ]

    /// All of them, so that every field holds every one.
    package static let text = texts.joined(separator: " ")

    /// A crash with such text in every field, numbers at their ends, and things over each other.
    package static func crash() -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        fillProcess(&snapshot)
        snapshot.modules = modules
        snapshot.threads = threads
        snapshot.exception = exception
        snapshot.memory = [
            MemoryRegion(address: .max - 10, bytes: ByteSlice(Array(repeating: 0x3c, count: 64))),
            MemoryRegion(address: 0, bytes: ByteSlice(Array("<script>".utf8))),
        ]
        snapshot.annotations = texts.map { Annotation(name: $0, value: "\($0)\n\(text)") }
        snapshot.annotations.append(
            Annotation(name: "2026-01-01T00:00:00Z", value: "2026-08-22T03:13:59Z \(text)"))
        snapshot.annotations.append(
            Annotation(name: "huge", value: String(repeating: "<b>", count: 400_000)))
        snapshot.messages = [CrashMessage(source: text, text: text)]
        snapshot.breadcrumbs = breadcrumbs
        snapshot.commandLine = ByteSlice(Array("\(text)\0--\u{1b}\0".utf8))
        snapshot.environment = texts
        snapshot.damage = [
            Damage(stage: .reading, subject: text, reason: text, errorNumber: .min)
        ]
        fillFiles(&snapshot.files)
        return snapshot
    }

    private static var breadcrumbs: [Breadcrumb] {
        let edges: [UInt64] = [0, 1, 1_787_368_447_000_000_000, 1 << 63, .max]
        return texts.enumerated().map { index, text in
            var breadcrumb = Breadcrumb(
                number: .max, timeNanoseconds: edges[index % edges.count],
                uptimeNanoseconds: index % 3 == 0 ? nil : edges[(index / 3) % edges.count],
                level: Breadcrumb.Level.allCases[index % 5], category: text, message: text)
            breadcrumb.isCut = index % 2 == 0
            return breadcrumb
        }
    }

    private static func fillProcess(_ snapshot: inout ProcessSnapshot) {
        snapshot.process.id = .min
        snapshot.process.parentID = .max
        snapshot.process.startTime = Timestamp(secondsSince1970: -.infinity)
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447.9999)
        snapshot.process.userTimeSeconds = .nan
        snapshot.process.systemTimeSeconds = -.infinity
        snapshot.process.uptimeNanoseconds = .max
        snapshot.system.kernelName = text
        snapshot.system.kernelRelease = text
        snapshot.system.kernelVersion = text
        snapshot.system.machine = text
        snapshot.system.processorVendor = text
        snapshot.system.processorCount = .min
        snapshot.system.pageSize = .max
        var launch = LaunchRecord()
        launch.bundleID = text
        launch.executablePath = text
        launch.startTicks = .max
        launch.time = Timestamp(secondsSince1970: .nan)
        launch.cleanExitTime = Timestamp(secondsSince1970: 1e300)
        snapshot.launch = launch
        var capture = CaptureSummary()
        capture.durationNanoseconds = .max
        snapshot.capture = capture
    }

    private static var modules: [ModuleSnapshot] {
        texts.enumerated().map { index, name in
            var module = ModuleSnapshot(
                path: "/opt/\(name)", addressRange: 0x1000..<UInt64.max,
                kind: index == 0 ? .executable : .sharedObject)
            module.loadBias = .max
            module.soname = name
            return module
        }
    }

    private static var threads: [ThreadSnapshot] {
        texts.enumerated().map { index, name in
            var thread = ThreadSnapshot(
                id: UInt64.max - UInt64(index), completeness: index == 0 ? .complete : .partial)
            thread.name = name
            thread.whyIncomplete = text
            thread.runState = "<"
            thread.systemCall = .min
            thread.registers = .x86_64(X86Registers())
            return thread
        }
    }

    private static var exception: ExceptionSnapshot {
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: .max)
        exception.threadID = .max
        var registers = X86Registers()
        registers.rsp = .max - 3
        registers.rip = 0x1234
        registers.rax = .max - 10
        registers.rbx = 1 << 63
        exception.registers = .x86_64(registers)
        return exception
    }

    private static func fillFiles(_ files: inout SystemFiles) {
        files.maps = ByteSlice(
            Array(
                ("fffffffffffff000-ffffffffffffffff rwxs ffffffff ff:ff 1 \(text)\n"
                    + "0-ffffffffffffffff rwxp 0 0:0 0 <script>\n<script>\n").utf8))
        files.status = ByteSlice(Array(text.utf8))
        files.cpuinfo = ByteSlice([0xff, 0xfe, 0x00, 0xc3, 0x28] + Array(text.utf8))
        files.others = ["/\(text)": ByteSlice(Array(text.utf8))]
    }
}
