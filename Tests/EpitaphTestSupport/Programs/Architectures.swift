// SPDX-License-Identifier: Apache-2.0

/// A machine whose files tests read: this one, or the other that Epitaph knows. The C library of the
/// other one comes with a cross compiler, `Scripts/setup`.
package enum Machine: String, Sendable {
    case x86_64
    case aarch64

    /// The one the tests run on. Nothing else in the package asks for it at compile time.
    package static var own: Machine {
        #if arch(x86_64)
            .x86_64
        #else
            .aarch64
        #endif
    }

    package static var other: Machine { own == .x86_64 ? .aarch64 : .x86_64 }

    /// `x86_64-linux-gnu`: what Debian names the machine's folders and tools after.
    package var triplet: String { "\(rawValue)-linux-gnu" }

    /// Where the dynamic linker finds libraries: of this machine in Debian's folder for it, of the
    /// other one where cross compilers have it.
    package var libraryFolder: String {
        self == .own ? "/lib/\(triplet)" : "/usr/\(triplet)/lib"
    }

    package var libc: String { libraryFolder + "/libc.so.6" }
    package var libstdcxx: String { libraryFolder + "/libstdc++.so.6" }

    /// The dynamic linker itself.
    package var loader: String {
        libraryFolder
            + (self == .x86_64 ? "/ld-linux-x86-64.so.2" : "/ld-linux-aarch64.so.1")
    }

    /// What disassembles the machine's code.
    package var objdump: String { self == .own ? "objdump" : "\(triplet)-objdump" }
}
