// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Code that nothing calls, where the unwind tables do not say so. A return address or frame
/// pointer of 0 is no evidence: a write past the end of a buffer leaves the same.
struct StackStart {
    /// The code of an entry point without a table: 0x3d in glibc's dynamic linker, whose second
    /// half, `_dl_start_user`, follows `_start`.
    private static let entryBytes: UInt64 = 64
    private static let mostCodeBytes = 16

    let modules: LoadedModules
    let memory: CapturedMemory
    let architecture: Architecture

    /// True in the code at which a program or the dynamic linker begins, `e_entry` of elf(5).
    func isEntryPoint(_ address: UInt64, _ rules: CallFrameRules?) -> Bool {
        guard let module = modules.module(at: address), let image = module.image,
            image.entryAddress > 0
        else { return false }
        let entry = image.entryAddress
        if let rules { return rules.addressRange.contains(entry) }
        let fileAddress = module.fileAddress(address)
        guard fileAddress >= entry, fileAddress - entry < Self.entryBytes else { return false }
        let function = modules.functionStart(of: address)
        return function.map { $0 == entry &+ module.loadBias } ?? true
    }

    /// True if the code behind a call only ends the thread or process, as in musl's `__clone`.
    func endsThread(at returnAddress: UInt64) -> Bool {
        let code = memory.bytes(at: returnAddress, count: Self.mostCodeBytes).array
        return (Self.exits[architecture] ?? []).contains { code.starts(with: $0) }
    }

    /// mov %eax, %edi; exit(2) in %eax by xor and mov, or mov; syscall. mov x8 or w8, #93; svc #0.
    private static let exits: [Architecture: [[UInt8]]] = [
        .x86_64: [
            [0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05],
            [0x89, 0xc7, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05],
        ],
        .aarch64: [
            [0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4],
            [0xa8, 0x0b, 0x80, 0x52, 0x01, 0, 0, 0xd4],
        ],
    ]

    /// Glibc's `__start_context` and libucontext's trampoline first leave the stack for the
    /// context's words: mov %rbx, %rsp. On aarch64 glibc's tables tell.
    func isEndOfCoroutine(at functionStart: UInt64, _ rules: CallFrameRules?) -> Bool {
        if let rules, rules.rule(for: rules.returnRegister) == .undefined { return true }
        return architecture == .x86_64
            && memory.bytes(at: functionStart, count: 3).array == [0x48, 0x89, 0xdc]
    }
}
