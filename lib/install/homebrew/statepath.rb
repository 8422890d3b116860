# `./dev package` fills in the URL and the checksum of the source archive.
class Statepath < Formula
  desc "Decode the scores of any classifier into sequences that obey the rules"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license all_of: ["MIT", "GPL-3.0-or-later"]

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => [:build, :test]
  depends_on "expat"
  depends_on "gsl"
  depends_on "hdf5"
  depends_on "jansson"
  depends_on "libdeflate"
  depends_on :linux # the shared library's exports are chosen by a version script of the GNU linker
  depends_on "popt"

  def install
    args = %w[-DSTATEPATH_TESTS=OFF -DSTATEPATH_HDF5_ARCHIVE=OFF]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/statepath --version")
    (testpath/"pace.json").write shell_output("#{bin}/statepath model new band --classes slow,walk,run")
    system bin/"statepath", "model", "check", "pace.json"
    (testpath/"version.c").write <<~C
      #include <statepath.h>
      #include <stdio.h>

      int main(void)
      {
          return puts(sp_version()) < 0;
      }
    C
    flags = shell_output("pkgconf --cflags --libs statepath").split
    system ENV.cc, "version.c", "-o", "version", *flags
    assert_equal version.to_s, shell_output("./version").strip
  end
end
