// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Deaths on systems without Linux signals, in the terms of those systems.

extension DeathReason {
    init(_ exception: ForeignException) {
        switch exception.system {
        case .macOS, .iOS: self.init(mach: exception)
        case .windows: self.init(windows: exception)
        default:
            self.init(
                signalName: "exception " + exception.code.hex, codeName: nil,
                code: Int32(bitPattern: exception.flags),
                meaning: "an exception of \(exception.system.name), which Epitaph has no words for")
            address = exception.address
        }
    }

    private init(signalName: String, codeName: String?, code: Int32, meaning: String) {
        self.signalName = signalName
        self.codeName = codeName
        self.code = code
        self.meaning = meaning
    }

    /// Crashpad's and Breakpad's form: the exception, its first code as flags, and as parameters
    /// exception and codes as the kernel gave them.
    private init(mach exception: ForeignException) {
        var type = exception.code
        var code = UInt64(exception.flags)
        // Crashpad decodes EXC_CRASH; if it contains no other exception, the original is only in
        // the parameters.
        if type == 0, exception.parameters.count >= 2 {
            type = UInt32(truncatingIfNeeded: exception.parameters[0])
            code = exception.parameters[1]
        }
        let entry = MachExceptions.exception(type)
        self.init(
            signalName: entry?.name ?? "Mach exception \(type)",
            codeName: MachExceptions.codeName(code, of: type),
            code: Int32(truncatingIfNeeded: code),
            meaning: entry?.meaning ?? "not an exception Epitaph knows")
        // The second code of EXC_BAD_ACCESS is the address; other exceptions have none.
        if type == MachExceptions.badAccess { address = exception.address }
    }

    private init(windows exception: ForeignException) {
        let entry = WindowsExceptions.exception(exception.code)
        self.init(
            signalName: entry?.name ?? "exception",
            codeName: exception.code.hex, code: Int32(bitPattern: exception.code),
            meaning: entry?.meaning ?? "not an exception Epitaph knows")
        address = exception.address
        // EXCEPTION_RECORD: the kind of access, and the address.
        guard WindowsExceptions.hasAccess(exception.code), exception.parameters.count >= 2 else {
            return
        }
        address = exception.parameters[1]
        switch exception.parameters[0] {
        case 0: access = .read
        case 1: access = .write
        case 8: access = .execute
        default: break
        }
    }
}
