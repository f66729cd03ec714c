// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

package enum Demangler {
    /// Longer names stay mangled: demanglers recurse, and nobody reads such names.
    static let lengthLimit = 8_192

    package static func demangle(_ name: String) -> String {
        guard name.utf8.count <= lengthLimit else { return name }
        if isSwift(name) { return demangleSwift(name) ?? name }
        if name.hasPrefix("_R") { return RustName.demangle(name) ?? name }
        // Older Rust names look like C++ names except for their last part.
        if let rust = RustLegacyName.demangle(name) { return rust }
        if isItanium(name) { return demangleItanium(name) ?? name }
        return name
    }

    // swift/docs/ABI/Mangling.rst, "Mangling"
    static func isSwift(_ name: String) -> Bool {
        ["$s", "$S", "$e", "_$s", "_$S", "_T0", "@__swiftmacro_"].contains { name.hasPrefix($0) }
    }

    // Itanium C++ ABI, 5.1.2; three underscores for clang's blocks.
    private static func isItanium(_ name: String) -> Bool {
        name.hasPrefix("_Z") || name.hasPrefix("___Z")
    }

    private static func demangleSwift(_ name: String) -> String? {
        takeText(swift_demangle(name, UInt(name.utf8.count), nil, nil, 0))
    }

    private static func demangleItanium(_ name: String) -> String? {
        guard CxxNameSize.isBounded(name) else { return nil }
        var status: Int32 = 0
        return takeText(epitaph_cxa_demangle(name, nil, nil, &status))
    }

    private static func takeText(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
        guard let pointer else { return nil }
        defer { free(pointer) }
        return boundedText(pointer)
    }
}

// Exported by libswiftCore; declared in the compiler's swift/Demangling/Demangle.h.
@_silgen_name("swift_demangle")
private func swift_demangle(
    _ name: UnsafePointer<CChar>, _ length: UInt, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
