// SPDX-License-Identifier: Apache-2.0

import EpitaphNames

package typealias CaptureLimits = Epitaph.CaptureLimits
package typealias CrashFileMode = Epitaph.CrashFileMode
package typealias CrashReporterOptions = Epitaph.CrashReporterOptions
package typealias TaskScope = Epitaph.TaskScope
package typealias TestCrash = Epitaph.TestCrash
