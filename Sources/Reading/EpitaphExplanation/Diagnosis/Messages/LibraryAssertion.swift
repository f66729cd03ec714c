// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// `std::__glibcxx_assert_fail(file, line, function, condition)` keeps no message. Its arguments
/// are constants in the code that calls it: bits/c++config.h, `_GLIBCXX_ASSERTIONS`.
struct LibraryAssertion {
    let condition: String
    let file: String?
    let line: Int?

    init?(_ scene: CrashScene) {
        guard let arguments = Self.arguments[scene.snapshot.architecture],
            let callee = scene.frames.lastIndex(where: {
                $0.function.map { Self.isCheck(FunctionName.normalized($0)) } ?? false
            }),
            case let index = scene.frames[callee].index,
            let caller = scene.frames[callee...].first(where: { $0.index > index })
        else { return nil }
        let constants = CallConstants(
            returningTo: caller.address, scene.snapshot.architecture, scene.memory)
        guard let place = constants[arguments.condition],
            let text = Self.text(at: place, scene.memory)
        else {
            return nil
        }
        condition = text
        file = constants[arguments.file].flatMap { Self.text(at: $0, scene.memory) }
        line = constants[arguments.line].flatMap { Int(exactly: $0) }
    }

    /// psABI for x86_64, 3.2.3; AAPCS64, 6.8.2.
    private static let arguments: [Architecture: (file: String, line: String, condition: String)] =
        [.x86_64: ("rdi", "rsi", "rcx"), .aarch64: ("x0", "x1", "x3")]

    private static func isCheck(_ name: String) -> Bool {
        ["std::__glibcxx_assert_fail", "std::__replacement_assert"].contains {
            name == $0 || name.hasPrefix($0 + "(")
        }
    }

    private static let longest = 512

    private static func text(at address: UInt64, _ memory: ReadableMemory) -> String? {
        let bytes = memory.bytes(at: address, atMost: longest)
        guard let end = bytes.firstIndex(of: 0), end > 0,
            bytes[..<end].allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    func diagnosis(_ scene: CrashScene) -> Diagnosis {
        var diagnosis = Diagnosis(
            kind: .assertion,
            headline: "failed a check of the C++ standard library: `\(condition)`")
        let evidence = "The code that calls __glibcxx_assert_fail names it."
        if let file {
            diagnosis.add(
                "The check is at \(file)\(line.map { ":\($0)" } ?? "").", evidence: evidence)
        }
        if let place = scene.placeInProgram {
            diagnosis.add("It was called from \(place).", evidence: evidence)
        }
        return diagnosis
    }
}

/// Constant arguments of a call, from the instructions that load them right before it.
struct CallConstants {
    private var values: [String: UInt64] = [:]

    /// - Parameter address: where the call returns to.
    init(returningTo address: UInt64, _ architecture: Architecture, _ memory: ReadableMemory) {
        guard address > 0, let function = memory.functionRange(of: address - 1),
            case let length = address - function.lowerBound, length <= 1 << 16
        else { return }
        let bytes = memory.bytes(at: function.lowerBound, atMost: Int(length))
        guard bytes.count == Int(length) else { return }
        let instructions = Disassembler(architecture).instructions(bytes, at: function.lowerBound)
        guard instructions.last?.nextAddress == address else { return }
        let loads = instructions.dropLast().suffix(Self.mostLoads)
        // Values from before another call or jump do not hold.
        let last = loads.lastIndex { $0.flow != .next }
        for instruction in loads.suffix(from: last.map { $0 + 1 } ?? loads.startIndex) {
            load(instruction)
        }
    }

    private static let mostLoads = 12

    /// By the name of the whole register.
    subscript(register: String) -> UInt64? { values[register] }

    private mutating func load(_ instruction: DecodedInstruction) {
        guard let target = instruction.operands.first?.register?.wholeName else { return }
        let operands = instruction.operands.dropFirst()
        switch (instruction.mnemonic, operands.first) {
        case ("lea", .memory(let operand)?)
        where operand.base?.wholeName == "rip" && operand.index == nil:
            values[target] =
                instruction.nextAddress &+ UInt64(bitPattern: operand.displacement)
        // Capstone gives adrp's page as an address.
        case ("mov", .immediate(let value)?), ("movabs", .immediate(let value)?),
            ("movz", .immediate(let value)?) where !instruction.text.has("lsl"),
            ("adrp", .immediate(let value)?), ("adr", .immediate(let value)?):
            values[target] = UInt64(bitPattern: value)
        // As unoptimised code passes them on.
        case ("mov", .register(let source)?): values[target] = values[source.wholeName]
        case ("add", .register(let base)?) where !instruction.text.has("lsl"):
            let distance = operands.dropFirst().first?.immediate
            values[target] = distance.flatMap { distance in
                values[base.wholeName].map { $0 &+ UInt64(bitPattern: distance) }
            }
        default: values[target] = nil
        }
    }
}
