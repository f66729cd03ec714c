// SPDX-License-Identifier: Apache-2.0

/// The identifier of a build in Breakpad's symbol files: 32 hexadecimal digits of a GUID and an age, in
/// upper case. On Linux the GUID is the first 16 bytes of the build id, of which the first three fields are
/// little-endian, and the age is 0: google/breakpad, `ConvertIdentifierToUUIDString` of
/// common/linux/file_id.cc.
public enum BreakpadIdentifier {
    /// Nil for a module without a build id. A short build id is filled up with zeros.
    public static func text(ofBuildID buildID: [UInt8]) -> String? {
        guard !buildID.isEmpty else { return nil }
        let bytes = buildID.prefix(16) + [UInt8](repeating: 0, count: max(16 - buildID.count, 0))
        let order = [3, 2, 1, 0, 5, 4, 7, 6] + Array(8..<16)
        return order.map { index in
            let byte = bytes[bytes.startIndex + index]
            return (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined() + "0"
    }
}
