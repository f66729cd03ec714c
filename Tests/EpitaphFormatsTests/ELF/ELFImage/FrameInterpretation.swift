// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphTestSupport

/// The rows `readelf --debug-dump=frames-interp` prints: what call frame information says at each
/// address, worked out by somebody else.
struct FrameInterpretation {
    struct Row {
        let address: UInt64
        /// `rsp+8`, `exp`
        let frameAddress: String
        /// `c-16`, `u`, by DWARF number.
        let registers: [Int: String]
    }

    private(set) var rows: [Row] = []

    init(of path: String, machine: UInt16) throws {
        let output = try Subprocess.run(["readelf", "--debug-dump=frames-interp", path])
        var columns: [Substring] = []
        var isFunction = false
        for line in output.standardOutput.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if line.contains(" FDE ") || line.contains(" CIE ") {
                // Functions the linker threw away are left at address 0.
                isFunction = line.contains(" FDE ") && !line.contains("pc=0000000000000000")
                columns = []
            } else if fields.first == "LOC" {
                columns = Array(fields.dropFirst(2))
            } else if isFunction, fields.count == columns.count + 2, fields.count > 2,
                let address = UInt64(fields[0], radix: 16)
            {
                rows.append(
                    Row(
                        address: address, frameAddress: String(fields[1]),
                        registers: Self.numbered(columns, fields.dropFirst(2), machine)))
            }
        }
    }

    private static func numbered(
        _ columns: [Substring], _ values: ArraySlice<Substring>, _ machine: UInt16
    ) -> [Int: String] {
        var registers: [Int: String] = [:]
        for (name, value) in zip(columns, values) {
            if let number = number(of: String(name), machine) { registers[number] = String(value) }
        }
        return registers
    }

    private static func number(of name: String, _ machine: UInt16) -> Int? {
        if machine == 183 {
            // d8 to d15 are not followed.
            return name == "ra" ? 30 : name.hasPrefix("x") ? Int(name.dropFirst()) : nil
        }
        let names = [
            "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11",
            "r12", "r13", "r14", "r15", "ra",
        ]
        return names.firstIndex(of: name)
    }

    static func name(of number: Int, _ machine: UInt16) -> String {
        if machine == 183 { return number == 31 ? "sp" : "x\(number)" }
        let names = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"]
        return number < names.count ? names[number] : "r\(number)"
    }
}

extension FrameInterpretation.Row {
    /// What differs, in words; nil when all is the same.
    func disagreement(with rules: CallFrameRules) -> String? {
        let machine: UInt16 = rules.returnRegister == 16 ? 62 : 183
        let own: String
        switch rules.frameAddress {
        case .register(let number, let offset):
            own =
                FrameInterpretation.name(of: number, machine) + (offset < 0 ? "" : "+")
                + "\(offset)"
        case .expression: own = "exp"
        }
        if own != frameAddress { return "\(address): frame address \(own), not \(frameAddress)" }
        for (number, expected) in registers where number < 33 {
            let rule = text(rules.rule(for: number), machine)
            if rule != expected { return "\(address): register \(number) \(rule), not \(expected)" }
        }
        return nil
    }

    private func text(_ rule: CallFrameRules.RegisterRule?, _ machine: UInt16) -> String {
        switch rule {
        case nil, .undefined: "u"
        case .sameValue: "s"
        case .offset(let offset): "c" + (offset < 0 ? "" : "+") + "\(offset)"
        case .valueOffset(let offset): "v" + (offset < 0 ? "" : "+") + "\(offset)"
        case .register(let number): FrameInterpretation.name(of: number, machine)
        case .expression: "exp"
        case .valueExpression: "vexp"
        }
    }
}
