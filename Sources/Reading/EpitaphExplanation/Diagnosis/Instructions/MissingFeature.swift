// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Programs built for a newer processor than the one they ran on.
enum MissingFeature {
    /// Capstone's feature names to /proc/cpuinfo's: proc(5), arch/x86/include/asm/cpufeatures.h,
    /// Documentation/arm64/elf_hwcaps.rst.
    private static let flags = [
        "aes": "aes", "adx": "adx", "avx": "avx", "avx2": "avx2", "avx512": "avx512f",
        "bmi": "bmi1", "bmi2": "bmi2", "f16c": "f16c", "fma": "fma", "fma4": "fma4",
        "fsgsbase": "fsgsbase", "rtm": "rtm", "sha": "sha_ni", "sse41": "sse4_1",
        "sse42": "sse4_2", "sse4a": "sse4a", "ssse3": "ssse3", "xop": "xop", "crc": "crc32",
        "crypto": "aes", "neon": "asimd",
    ]

    static func finding(
        _ instruction: DecodedInstruction, _ snapshot: ProcessSnapshot
    ) -> Diagnosis.Finding? {
        guard let cpuinfo = snapshot.files.cpuinfo, let present = features(cpuinfo) else {
            return nil
        }
        for feature in instruction.features {
            guard let flag = flags[feature.lowercased()], !present.contains(flag) else { continue }
            return .init(
                "The processor does not have \(flag), which the instruction needs: the program "
                    + "was built for another processor.",
                evidence: "\(flag) is missing in the features that /proc/cpuinfo lists.")
        }
        return nil
    }

    private static func features(_ cpuinfo: ByteSlice) -> Set<String>? {
        for line in cpuinfo.text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, line.hasPrefix("flags") || line.hasPrefix("Features") else {
                continue
            }
            return Set(parts[1].split(separator: " ").map(String.init))
        }
        return nil
    }
}
