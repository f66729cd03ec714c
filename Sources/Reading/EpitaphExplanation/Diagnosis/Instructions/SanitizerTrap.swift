// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Which check of clang's -fsanitize-trap failed: the trap has its number, `UBSAN_UD1` of LLVM's
/// X86MCInstLower.cpp and `brk #0x5500` and the number. clang/lib/CodeGen/SanitizerHandler.h.
struct SanitizerTrap {
    private let number: Int

    init?(_ scene: CrashScene) {
        guard let number = Self.number(scene), Self.checks.indices.contains(number) else {
            return nil
        }
        self.number = number
    }

    func diagnosis(_ scene: CrashScene, _ instruction: String) -> Diagnosis {
        let place = scene.placeInProgram.map { "in \($0)" } ?? "there"
        return Diagnosis(
            kind: .trap,
            headline: "stopped at a failed check of clang's sanitizer: " + Self.checks[number],
            "The compiler put a check \(place), which failed.",
            evidence: "The instruction at fault is `\(instruction)`, with the check's number, "
                + "\(number).")
    }

    private static func number(_ scene: CrashScene) -> Int? {
        guard let pointer = scene.registers?.instructionPointer else { return nil }
        let bytes = scene.memory.bytes(at: pointer, atMost: 5)
        switch scene.snapshot.architecture {
        // ud1 eax, [eax + number]
        case .x86_64:
            if bytes.starts(with: [0x67, 0x0f, 0xb9, 0x00]) { return 0 }
            guard bytes.count == 5, bytes.starts(with: [0x67, 0x0f, 0xb9, 0x40]) else { return nil }
            return Int(bytes[4])
        case .aarch64:
            guard bytes.count >= 4 else { return nil }
            let word = bytes.prefix(4).littleEndian
            guard word & 0xffe0_001f == 0xd420_0000, word >> 13 & 0xff == 0x55 else { return nil }
            return Int(word >> 5 & 0xff)
        default: return nil
        }
    }

    private static let checks = [
        "an integer addition overflowed",
        "the program came to where it was said never to come (__builtin_unreachable)",
        "the integrity of the control flow is broken",
        "an integer was divided by zero, or the division overflowed",
        "an object is not of the class that a member was called for",
        "a floating-point number does not fit into the integer it is converted to",
        "a function was called as one of another type",
        "an implicit conversion changed a value",
        "a builtin was given a value that it has no result for",
        "an Objective-C object is not of the class it is used as",
        "a value is none of its type, as of a bool or an enum",
        "a function that returns a value ended without one",
        "an integer multiplication overflowed",
        "the negation of an integer overflowed",
        "null was passed for a parameter that may not be null",
        "null was returned by a function that may not return it",
        "null was passed for a parameter that may not be null",
        "null was returned by a function that may not return it",
        "an index is out of bounds",
        "the arithmetic of a pointer overflowed",
        "a shift is by too many bits, or overflowed",
        "an integer subtraction overflowed",
        "a pointer that is used is null, misaligned or to too small an object",
        "a pointer does not have the alignment it was promised to have",
        "an array of variable length has none",
    ]
}
