// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphMinidump
import EpitaphPages
import EpitaphValues
import Testing

/// Crashpad's minidumps of iOS programs that an Objective-C exception ended.
@Suite("Uncaught NSException") struct UncaughtNSExceptionTests {
    /// A file whose parts refer to each other by their offsets.
    private struct File {
        var bytes = ByteBuilder()

        mutating func place(_ part: [UInt8]) -> UInt32 {
            bytes.appendZeros((4 - bytes.bytes.count % 4) % 4)
            let offset = UInt32(bytes.bytes.count)
            bytes.append(part)
            return offset
        }

        mutating func place(words: [UInt32]) -> UInt32 {
            var part = ByteBuilder()
            for word in words { part.append(word) }
            return place(part.bytes)
        }

        mutating func place(text: String) -> UInt32 {
            let offset = place(words: [UInt32(text.utf8.count)])
            _ = place(Array(text.utf8) + [0])
            return offset
        }
    }

    /// minidump_extensions.h of Crashpad: one module, with annotation objects.
    private func minidump(_ annotations: [(String, String)]) -> ByteSlice {
        var file = File()
        // Header and directory of four streams.
        file.bytes.appendZeros(32 + 4 * 12)
        let objects = annotations.flatMap { name, value -> [UInt32] in
            // Type 1: a string.
            [file.place(text: name), 1, file.place(text: value)]
        }
        let objectCount = UInt32(annotations.count)
        let objectPlace = file.place(words: [objectCount] + objects)
        let module = file.place(words: [1, 0, 0, 0, 0, 4 + objectCount * 12, objectPlace])
        let modules = file.place(words: [1, 0, 28, module])
        let info = file.place(words: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, modules])
        let name = "App".utf16.map { UInt32($0) }
        let namePlace = file.place(words: [6, name[0] | name[1] << 16, name[2]])
        var list: [UInt32] = [1, 0, 1, 0x1000, 0, 0, namePlace]
        list += [UInt32](repeating: 0, count: 21)
        let moduleList = file.place(words: list)
        // arm64 on iOS: MD_CPU_ARCHITECTURE_ARM64 is 12, MD_OS_IOS 0x8102.
        let system = file.place(
            words: [12, 0, 0, 0, 0, 0x8102] + [UInt32](repeating: 0, count: 8))
        let exception = file.place(
            words: [77, 0, 0x4350_6e78] + [UInt32](repeating: 0, count: 39))
        var head = File()
        _ = head.place(words: [0x504d_444d, 0xa793, 4, 32, 0, 0, 0, 0])
        _ = head.place(words: [7, 56, system, 6, 168, exception])
        _ = head.place(words: [4, 112, moduleList, 0x4350_0001, 52, info])
        return ByteSlice(head.bytes.bytes + file.bytes.bytes.dropFirst(80))
    }

    private func explanation(_ annotations: [(String, String)]) throws -> CrashExplanation {
        CrashExplanation(installed: try MinidumpReader.read(minidump(annotations)).snapshot)
    }

    @Test("A minidump of Crashpad says that an NSException was not caught, with name and reason")
    func named() throws {
        let explanation = try explanation([
            ("exceptionReason", "unrecognized selector sent to instance 0x10"),
            ("exceptionName", "NSInvalidArgumentException"),
        ])
        let words =
            "ended by an uncaught NSException, NSInvalidArgumentException: unrecognized selector "
            + "sent to instance 0x10"
        #expect(explanation.diagnosis?.kind == .uncaughtException)
        #expect(explanation.diagnosis?.headline == words)
        #expect(TextReport(explanation).lines.contains { $0.hasPrefix("App " + words.prefix(30)) })
        #expect(
            explanation.signature?.text.contains("\"NSInvalidArgumentException\"") == true)
    }

    @Test("Without annotations it is still told what ended the program")
    func unnamed() throws {
        let diagnosis = try #require(try explanation([]).diagnosis)
        #expect(diagnosis.headline == "ended by an uncaught NSException")
    }
}
