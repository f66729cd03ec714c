// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Code of the C library, taken apart by us and by binutils.
@Suite("Agreement with objdump")
struct OtherDisassemblerTests {
    private struct Line {
        let address: UInt64
        let bytes: [UInt8]
        let mnemonic: String
    }

    @Test("Instructions of the C library begin, end and are called as objdump says")
    func x86() throws {
        let lines = try listing(
            [Machine.x86_64.objdump, "-M", "intel"], of: Machine.x86_64.libc, wordSize: 1)
        try compare(lines, .x86_64, atLeast: 0.99)
    }

    @Test("Instructions of the aarch64 C library are called as objdump says")
    func aarch64() throws {
        let lines = try listing(
            [Machine.aarch64.objdump], of: Machine.aarch64.libc, wordSize: 4)
        try compare(lines, .aarch64, atLeast: 0.99)
    }

    /// Both disassemblers choose among names of one instruction, such as jz and je; their lengths
    /// have to be the same always.
    private func compare(
        _ lines: [Line], _ architecture: Architecture, atLeast share: Double
    ) throws {
        #expect(lines.count > 10_000)
        let disassembler = Disassembler(architecture)
        var wrongLengths: [String] = []
        var sameNames = 0
        var differences: [String: Int] = [:]
        for line in lines where line.mnemonic != "(bad)" {
            let ours = disassembler.instruction(line.bytes[...], at: line.address)
            // Unknown to capstone: newer than it is.
            guard let ours else {
                differences["none for \(line.mnemonic)", default: 0] += 1
                continue
            }
            if ours.bytes != line.bytes { wrongLengths.append("\(line)") }
            let name = ours.mnemonic.split(separator: " ").last.map(String.init) ?? ""
            if name == line.mnemonic || Self.synonyms[name] == line.mnemonic {
                sameNames += 1
            } else {
                differences["\(name) for \(line.mnemonic)", default: 0] += 1
            }
        }
        #expect(wrongLengths.isEmpty, "\(wrongLengths.prefix(5))")
        #expect(
            Double(sameNames) >= share * Double(lines.count),
            "\(differences.sorted { $0.value > $1.value }.prefix(8))")
    }

    /// Arm ARM, C6.2: what is preferred depends on the operands.
    private static let synonyms = [
        "movz": "mov", "movn": "mov", "orr": "mov", "b.hs": "b.cs", "b.lo": "b.cc",
    ]

    private func listing(
        _ command: [String], of library: String, wordSize: Int
    ) throws -> [Line] {
        let objdump =
            [command[0], "-d", "--section=.text", "-w", "--insn-width=16"]
            + command.dropFirst() + [library]
        let output = try Subprocess.run(
            ["sh", "-c", "\(objdump.joined(separator: " ")) | head -n 20000"], deadlineSeconds: 120
        ).standardOutput
        var lines: [Line] = []
        for line in output.split(separator: "\n") {
            let fields = line.split(separator: "\t")
            guard fields.count >= 3,
                let address = UInt64(
                    fields[0].trimmingCharacters(in: .whitespaces).dropLast(), radix: 16)
            else { continue }
            let words = fields[1].split(separator: " ")
            let bytes = words.flatMap { word -> [UInt8] in
                let value = UInt64(word, radix: 16) ?? 0
                return (0..<wordSize).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
            }
            let names = fields[2].split(separator: " ").filter {
                !Self.prefixes.contains(String($0))
            }
            lines.append(
                Line(address: address, bytes: bytes, mnemonic: names.first.map(String.init) ?? ""))
        }
        return lines
    }

    private static let prefixes: Set<String> = [
        "rep", "repz", "repnz", "lock", "bnd", "notrack", "data16", "cs", "ds", "xacquire",
        "xrelease",
    ]
}
