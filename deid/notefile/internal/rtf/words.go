package rtf

import "github.com/lethe-deid/lethe/deid/notefile/internal/markup"

// controlWords are the control words of RTF 1.9.1 (Microsoft, 2008), and some of Epic, macOS, RichEdit and LibreOffice. Other control words
// are text: a program that writes C:\Users\Smith without escapes makes a control word of the name.
var controlWords = markup.Words(`epic ApplyBrkRules ab absh abslock absnoovrlp absw acaps acccircle acccomma accdot accnone accunderdot acf additive adeff adeflang adjustright
	adn aenddoc aendnotes aexpnd af afelev afs aftnbj aftncn aftnnalc aftnnar aftnnauc aftnnchi aftnnchosung aftnncnum aftnndbar aftnndbnum
	aftnndbnumd aftnndbnumk aftnndbnumt aftnnganada aftnngbnum aftnngbnumd aftnngbnumk aftnngbnuml aftnnrlc aftnnruc aftnnzodiac aftnnzodiacd
	aftnnzodiacl aftnrestart aftnrstcont aftnsep aftnsepc aftnstart aftntj ai alang allowfieldendsel allprot alntblind alt animtext annotation
	annotprot ansi ansicpg aoutl ascaps ashad asianbrkrule aspalpha aspnum astrike atnauthor atndate atnicn atnid atnparent atnref atntime
	atrfend atrfstart aul auld auldb aulnone aulw aup author autofmtoverride b background bdbfhdr bdrrlswsix bgbdiag bgcross bgdcross bgdkbdiag
	bgdkcross bgdkdcross bgdkfdiag bgdkhoriz bgdkvert bgfdiag bghoriz bgvert bin binfsxn binsxn bkmkcolf bkmkcoll bkmkend bkmkpub bkmkstart
	bliptag blipuid blipupi blue bookfold bookfoldrev bookfoldsheets box brdrart brdrb brdrbar brdrbtw brdrcf brdrdash brdrdashd brdrdashdd
	brdrdashdotstr brdrdashsm brdrdb brdrdot brdremboss brdrengrave brdrframe brdrhair brdrinset brdrl brdrnil brdrnone brdroutset brdrr brdrs
	brdrsh brdrt brdrtbl brdrth brdrthtnlg brdrthtnmg brdrthtnsg brdrtnthlg brdrtnthmg brdrtnthsg brdrtnthtnlg brdrtnthtnmg brdrtnthtnsg
	brdrtriple brdrw brdrwavy brdrwavydb brkfrm brsp bullet buptim bxe caccentfive caccentfour caccentone caccentsix caccentthree caccenttwo
	cachedcolbal caps category cb cbackgroundone cbackgroundtwo cbpat cchs cell cellx cf cfollowedhyperlink cfpat cgrid charrsid charscalex
	chatn chbgbdiag chbgcross chbgdcross chbgdkbdiag chbgdkcross chbgdkdcross chbgdkfdiag chbgdkhoriz chbgdkvert chbgfdiag chbghoriz chbgvert
	chbrdr chcbpat chcfpat chdate chdpa chdpl chftn chftnsep chftnsepc chhres chpgn chshdng chtime chyperlink clFitText clNoWrap clbgbdiag
	clbgcross clbgdcross clbgdkbdiag clbgdkcross clbgdkdcross clbgdkfdiag clbgdkhor clbgdkvert clbgfdiag clbghoriz clbgvert clbrdrb clbrdrl
	clbrdrr clbrdrt clcbpat clcbpatraw clcfpat clcfpatraw cldel cldelauth cldeldttm cldgll cldglu clftsWidth clhidemark clins clinsauth
	clinsdttm clmgf clmrg clmrgd clmrgdauth clmrgddttm clmrgdr clpadb clpadfb clpadfl clpadfr clpadft clpadl clpadr clpadt clshdng clshdngraw
	clshdrawnil clspb clspfb clspfl clspfr clspft clspl clsplit clsplitr clspr clspt cltxbtlr cltxlrtb cltxlrtbv cltxtbrl cltxtbrlv clvertalb
	clvertalc clvertalt clvmgf clvmrg clwWidth cmaindarkone cmaindarktwo cmainlightone cmainlighttwo cocoaplatform cocoartf cocoascreenfonts
	cocoasubrtf cocoatextscaling collapsed colno colorschememapping colortbl cols colsr colsx column colw comment company contextualspace cpg
	crauth crdate creatim cs csgenericcmyk csgenericrgb csgray cshade csp3 cssrgb ctextone ctexttwo ctint ctrl cts cufi culi curi cvmme
	datafield datastore date dbch defchp deff defformat deflang deflangfe defpap defshp deftab deleted delrsid dfrauth dfrdate dfrmtxtx dfrmtxty
	dfrstart dfrstop dfrxst dghorigin dghshow dghspace dgmargin dgsnap dgvorigin dgvshow dgvspace dibitmap disabled dn dntblnsbdb do dobxcolumn
	dobxmargin dobxpage dobymargin dobypage dobypara doccomm doctemp doctype docvar dodhgt dolock donotembedlingdata donotembedsysfont
	donotshowcomments donotshowinsdel donotshowmarkup donotshowprops dpaendhol dpaendl dpaendsol dpaendw dparc dparcflipx dparcflipy dpastarthol
	dpastartl dpastartsol dpastartw dpcallout dpcoa dpcoaccent dpcobestfit dpcoborder dpcodabs dpcodbottom dpcodcenter dpcodescent dpcodtop
	dpcolength dpcominusx dpcominusy dpcooffset dpcosmarta dpcotdouble dpcotright dpcotsingle dpcottriple dpcount dpellipse dpendgroup
	dpfillbgcb dpfillbgcg dpfillbgcr dpfillbggray dpfillbgpal dpfillfgcb dpfillfgcg dpfillfgcr dpfillfggray dpfillfgpal dpfillpat dpgroup dpline
	dplinecob dplinecog dplinecor dplinedado dplinedadodo dplinedash dplinedot dplinegray dplinehollow dplinepal dplinesolid dplinew dppolycount
	dppolygon dppolyline dpptx dppty dprect dproundr dpshadow dpshadx dpshady dptxbtlr dptxbx dptxbxmar dptxbxtext dptxlrtb dptxlrtbv dptxtbrl
	dptxtbrlv dpx dpxsize dpy dpysize dropcapli dropcapt ds dxfrtext dy ebcend ebcstart edmins embo emdash emfblip emspace endash enddoc
	endnhere endnotes enforceprot enspace expandedcolortbl expnd expndtw expshrtn f faauto facenter facingp factoidname fafixed fahang falt
	faroman favar fbias fbidi fbidis fbimajor fbiminor fchars fcharset fcs fdbmajor fdbminor fdecor felnbrelev fet fetch ffdefres ffdeftext
	ffentrymcr ffexitmcr ffformat ffhaslistbox ffhelptext ffhps ffl ffmaxlen ffname ffownhelp ffownstat ffprot ffrecalc ffres ffsize ffstattext
	fftype fftypetxt fhimajor fhiminor fi fid field file filetbl fittext fjgothic fjminchou fldalt flddirty fldedit fldinst fldlock fldpriv
	fldrslt fldtype flomajor flominor flyanchor flyhorz flymaincnt flyvert fmodern fn fname fnetwork fnil fnonfilesys fontemb fontfile fonttbl
	footer footerf footerl footerr footery footnote forceupgrade formdisp formfield formprot formshade fosnum fprq fracwidth frelative frmtxbtlr
	frmtxlrtb frmtxlrtbv frmtxtbrl frmtxtbrlv froman fromhtml fromtext fs fscript fswiss ftech ftnalt ftnbj ftncn ftnil ftnlytwnine ftnnalc
	ftnnar ftnnauc ftnnchi ftnnchosung ftnncnum ftnndbar ftnndbnum ftnndbnumd ftnndbnumk ftnndbnumt ftnnganada ftnngbnum ftnngbnumd ftnngbnumk
	ftnngbnuml ftnnrlc ftnnruc ftnnzodiac ftnnzodiacd ftnnzodiacl ftnrestart ftnrstcont ftnrstpg ftnsep ftnsepc ftnstart ftntj fttruetype
	fvaliddos fvalidhpfs fvalidmac fvalidntfs g gcw generator glnam green grfdocevents gridtbl gutter gutterprl guttersxn header headerf headerl
	headerr headery hich highlight hl hlfr hlinkbase hlloc hlsrc horzdoc horzsect horzvert hr hres hrule hsv htmautsp htmlbase htmlrtf htmltag
	hwelev hyphauto hyphcaps hyphconsec hyphen hyphhotz hyphlead hyphmax hyphpar hyphtrail i id ignoremixedcontent ilfomacatclnup ilvl impr
	indmirror indrlsweleven info insrsid intbl ipgp irow irowband itap ixe jclisttab jcompress jexpand jis jpegblip jsksu keep keepn kerning
	keycode keywords krnprsnet ksulang landscape lang langfe langfenp langnp lastrow latentstyles lbr lchars ldblquote level levelfollow
	levelindent leveljc leveljcn levellegal levelnfc levelnfcn levelnorestart levelnumbers levelold levelpicture levelpicturenosize levelprev
	levelprevspace levelspace levelstartat leveltemplateid leveltext lfolevel li lin line linebetcol linecont linemod lineppage linerestart
	linestart linestarts linex linkself linkstyles linkval lisa lisb list listhybrid listid listlevel listname listoverride listoverridecount
	listoverrideformat listoverridestartat listoverridetable listpicture listrestarthdn listsimple liststyleid liststylename listtable
	listtemplateid listtext lnbrkrule lndscpsxn lnongrid loch lquote ls lsdimage lsdlocked lsdlockeddef lsdlockedexcept lsdpriority
	lsdprioritydef lsdqformat lsdqformatdef lsdsemihidden lsdsemihiddendef lsdstimax lsdunhideused lsdunhideuseddef ltrch ltrdoc ltrmark ltrpar
	ltrrow ltrsect lvltentative lytcalctblwd lytexcttp lytprtmet lyttblrtgr mac macc maccPr macpict mailmerge makebackup maln malnScr manager
	margPr margSz margb margbsxn margl marglsxn margmirror margmirsxn margr margrsxn margt margtsxn mbar mbarPr mbaseJc mbegChr mborderBox
	mborderBoxPr mbox mboxPr mbrk mbrkBin mbrkBinSub mcGp mcGpRule mcSp mchr mcount mctrlPr md mdPr mdefJc mdeg mdegHide mden mdiff mdiffSty
	mdispdef me mendChr meqArr meqArrPr mf mfName mfPr mfunc mfuncPr mgroupChr mgroupChrPr mgrow mhideBot mhideLeft mhideRight mhideTop mhtmltag
	min mintLim minterSp mintraSp mjc mlMargin mlim mlimUppPr mlimloc mlimlow mlimlowPr mlimupp mlimuppPr mlit mm mmPr mmaddfieldname mmath
	mmathFont mmathPict mmathPr mmattach mmaxdist mmblanklines mmc mmcJc mmcPr mmconnectstr mmconnectstrdata mmcs mmdatasource mmdatatypeaccess
	mmdatatypeexcel mmdatatypefile mmdatatypeodbc mmdatatypeodso mmdatatypeqt mmdefaultsql mmdestemail mmdestfax mmdestnewdoc mmdestprinter
	mmerrors mmfttypeaddress mmfttypebarcode mmfttypedbcolumn mmfttypemapped mmfttypenull mmfttypesalutation mmheadersource mmjdsotype
	mmlinktoquery mmmailsubject mmmaintypecatalog mmmaintypeemail mmmaintypeenvelopes mmmaintypefax mmmaintypelabels mmmaintypeletters mmodso
	mmodsoactive mmodsocoldelim mmodsocolumn mmodsodynaddr mmodsofhdr mmodsofilter mmodsofldmpdata mmodsofmcolumn mmodsohash mmodsolid
	mmodsomappedname mmodsoname mmodsorecipdata mmodsosort mmodsosrc mmodsotable mmodsoudl mmodsoudldata mmodsouniquetag mmquery mmr mmreccur
	mmshowdata mnary mnaryLim mnaryPr mnoBreak mnor mnum mo moMath moMathPara moMathParaPr mobjDist mopEmu mphant mphantPr mplcHide mpos mpostSp
	mpreSp mr mrMargin mrPr mrSp mrSpRule mrad mradPr msPre msPrePr msSub msSubPr msSubSup msSubSupPr msSup msSupPr mscr msepChr mshow mshp
	msmallFrac msmcap mstrikeBLTR mstrikeH mstrikeTLBR mstrikeV msty msub msubHide msup msupHide mtransp mtype muser mvauth mvdate mvertJc mvf
	mvfmf mvfml mvt mvtof mvtol mwrapIndent mwrapRight mzeroAsc mzeroDesc mzeroWid nestcell nestrow nesttableprops newtblstyruls nextfile
	noafcnsttbl nobrkwrptbl nocolbal nocompatoptions nocwrap nocxsptable noextrasprl nofchars nofcharsws nofeaturethrottle nofpages nofwords
	nogrowautofit noindnmbrts nojkernpunct nolead noline nolnhtadjtbl nonesttables nonshppict nooverflow noproof noqfpromote nosectexpand
	nosnaplinegrid nospaceforul nosupersub notabind notbrkcnstfrctbl notcvasp notvatxbx nouicompat noultrlspc nowidctlpar nowrap nowwrap
	noxlattoyen objalias objalign objattph objautlink objclass objcropb objcropl objcropr objcropt objdata object objemb objh objhtml objicemb
	objlink objlock objname objocx objpub objscalex objscaley objsect objsetsize objsub objtime objtransy objupdate objw ogutter oldas oldcprops
	oldlinewrap oldpprops oldsprops oldtprops oleclsid operator otblrul outl outlinelevel overlay page pagebb panose paperh paperw par pararsid
	pard pardirnatural partightenfactor password passwordhash pc pca pgbrdrb pgbrdrfoot pgbrdrhead pgbrdrl pgbrdropt pgbrdrr pgbrdrsnap pgbrdrt
	pgbrk pgdsc pgdscno pgdscnxt pgdsctbl pgdscuse pghsxn pgnbidia pgnbidib pgnchosung pgncnum pgncont pgndbnum pgndbnumd pgndbnumk pgndbnumt
	pgndec pgndecd pgnganada pgngbnum pgngbnumd pgngbnumk pgngbnuml pgnhindia pgnhindib pgnhindic pgnhindid pgnhn pgnhnsc pgnhnsh pgnhnsm
	pgnhnsn pgnhnsp pgnid pgnlcltr pgnlcrm pgnrestart pgnstart pgnstarts pgnthaia pgnthaib pgnthaic pgnucltr pgnucrm pgnvieta pgnx pgny
	pgnzodiac pgnzodiacd pgnzodiacl pgp pgptbl pgwsxn phcol phmrg phpg picbmp picbpp piccropb piccropl piccropr piccropt pich pichGoal pichgoal
	picprop picscaled picscalex picscaley pict picw picwGoal picwgoal pindtabqc pindtabql pindtabqr plain pmartabqc pmartabql pmartabqr
	pmmetafile pn pnacross pnaiu pnaiud pnaiueo pnaiueod pnb pnbidia pnbidib pncaps pncard pncf pnchosung pncnum pndbnum pndbnumd pndbnumk
	pndbnuml pndbnumt pndec pndecd pnf pnfs pnganada pngblip pngbnum pngbnumd pngbnumk pngbnuml pnhang pni pnindent pniroha pnirohad pnlcltr
	pnlcrm pnlvl pnlvlblt pnlvlbody pnlvlcont pnnumonce pnord pnordt pnprev pnqc pnql pnqr pnrauth pnrdate pnrestart pnrnfc pnrnot pnrpnbr
	pnrrgb pnrstart pnrstop pnrxst pnscaps pnseclvl pnsp pnstart pnstrike pntext pntxta pntxtb pnucltr pnucrm pnul pnuld pnuldash pnuldashd
	pnuldashdd pnuldb pnulhair pnulnone pnulth pnulw pnulwave pnzodiac pnzodiacd pnzodiacl posnegx posnegy posx posxc posxi posxl posxo posxr
	posy posyb posyc posyil posyin posyout posyt prauth prcolbl prdate printdata printim private propname proptype protect protend protlevel
	protstart protusertbl psover psz ptabldot ptablmdot ptablminus ptablnone ptabluscore pubauto pvmrg pvpara pvpg pwd pxe qc qd qj qk ql
	qmspace qr qt rawclbgbdiag rawclbgcross rawclbgdcross rawclbgdkbdiag rawclbgdkcross rawclbgdkdcross rawclbgdkfdiag rawclbgdkhor
	rawclbgdkvert rawclbgfdiag rawclbghoriz rawclbgvert rdblquote readonlyrecommended readprot red relyonvml remdttm rempersonalinfo result
	revauth revauthdel revbar revdttm revdttmdel revised revisions revprop revprot revtbl revtim ri rin row rquote rsid rsidroot rsidtbl rsltbmp
	rslthtml rsltmerge rsltpict rsltrtf rslttxt rtf rtlch rtldoc rtlgutter rtlmark rtlpar rtlrow rtlsect rxe s sa saauto saftnnalc saftnnar
	saftnnauc saftnnchi saftnnchosung saftnncnum saftnndbar saftnndbnum saftnndbnumd saftnndbnumk saftnndbnumt saftnnganada saftnngbnum
	saftnngbnumd saftnngbnumk saftnngbnuml saftnnrlc saftnnruc saftnnzodiac saftnnzodiacd saftnnzodiacl saftnrestart saftnrstcont saftnstart
	sautoupd saveinvalidxml saveprevpict sb sbasedon sbauto sbkcol sbkeven sbknone sbkodd sbkpage sbys scaps scompose sec sect sectd
	sectdefaultcl sectexpand sectlinegrid sectnum sectrsid sectspecifycl sectspecifygenN sectspecifyl sectunlocked sftnbj sftnnalc sftnnar
	sftnnauc sftnnchi sftnnchosung sftnncnum sftnndbar sftnndbnum sftnndbnumd sftnndbnumk sftnndbnumt sftnnganada sftnngbnum sftnngbnumd
	sftnngbnumk sftnngbnuml sftnnrlc sftnnruc sftnnzodiac sftnnzodiacd sftnnzodiacl sftnrestart sftnrstcont sftnrstpg sftnstart sftntj shad
	shading shadx shady shidden shift showplaceholdtext showxmlerrors shp shpbottom shpbxcolumn shpbxignore shpbxmargin shpbxpage shpbyignore
	shpbymargin shpbypage shpbypara shpfblwtxt shpfhdr shpgrp shpinst shpleft shplid shplockanchor shppict shpright shprslt shptop shptxt shpwr
	shpwrk shpz sl slink slleading slmult slocked sn snaptogridincell snext softcol softlheight softline softpage soutlvl sp spersonal spltpgpar
	splytwnine spriority sprsbsp sprslnsp sprsspbf sprstsm sprstsp spv sqformat srauth srdate sreply ssemihidden staticval stextflow strike
	striked strokec strokewidth stshfbi stshfdbch stshfhich stshfloch stylelock stylelockbackcomp stylelockenforced stylelockqfset
	stylelocktheme stylesheet stylesortmethod styrsid sub subdocument subfontbysize subject sunhideused super sv svb swpbdr tab tabsnoovrlp
	taprtl tb tblind tblindtype tbllkbestfit tbllkborder tbllkcolor tbllkfont tbllkhdrcols tbllkhdrrows tbllklastcol tbllklastrow tbllknocolband
	tbllknorowband tbllkshading tblrsid tc tcelld tcf tcl tcn tdfrmtxtBottom tdfrmtxtLeft tdfrmtxtRight tdfrmtxtTop template themedata themelang
	themelangcs themelangfe time title titlepg tldot tleq tlhyph tlmdot tlth tlul toplinepunct tphcol tphmrg tphpg tposnegx tposnegy tposx
	tposxc tposxi tposxl tposxo tposxr tposy tposyb tposyc tposyil tposyin tposyout tposyt tpvmrg tpvpara tpvpg tqc tqdec tqr trackformatting
	trackmoves transmf trauth trautofit trbgbdiag trbgcross trbgdcross trbgdkbdiag trbgdkcross trbgdkdcross trbgdkfdiag trbgdkhor trbgdkvert
	trbgfdiag trbghoriz trbgvert trbrdrb trbrdrh trbrdrl trbrdrr trbrdrt trbrdrv trcbpat trcfpat trdate trftsWidth trftsWidthA trftsWidthB
	trgaph trhdr trkeep trkeepfollow trleft trowd trpaddb trpaddfb trpaddfl trpaddfr trpaddft trpaddl trpaddr trpaddt trpadob trpadofb trpadofl
	trpadofr trpadoft trpadol trpador trpadot trpat trqc trql trqr trrh trshdng trspdb trspdfb trspdfl trspdfr trspdft trspdl trspdr trspdt
	trspob trspofb trspofl trspofr trspoft trspol trspor trspot truncatefontheight truncex trwWidth trwWidthA trwWidthB ts tsbgbdiag tsbgcross
	tsbgdcross tsbgdkbdiag tsbgdkcross tsbgdkdcross tsbgdkfdiag tsbgdkhor tsbgdkvert tsbgfdiag tsbghoriz tsbgvert tsbrdrb tsbrdrdgl tsbrdrdgr
	tsbrdrh tsbrdrl tsbrdrr tsbrdrt tsbrdrv tscbandhorzeven tscbandhorzodd tscbandsh tscbandsv tscbandverteven tscbandvertodd tscellcbpat
	tscellcfpat tscellpaddb tscellpaddfb tscellpaddfl tscellpaddfr tscellpaddft tscellpaddl tscellpaddr tscellpaddt tscellpct tscellwidth
	tscellwidthfts tscfirstcol tscfirstrow tsclastcol tsclastrow tscnecell tscnwcell tscsecell tscswcell tsd tsnowrap tsrowd tsvertalb tsvertalc
	tsvertalt twoinone twoonone tx txbxtwalways txbxtwfirst txbxtwfirstlast txbxtwlast txbxtwno txe u uc ud ul ulc uld uldash uldashd uldashdd
	uldb ulhair ulhwave ulldash ulnone ulth ulthd ulthdash ulthdashd ulthdashdd ulthldash ululdbwave ulw ulwave up upr urtf useltbaln
	usenormstyforlist userprops usexform utinl v validatexml vern version vertal vertalb vertalc vertalj vertalt vertdoc vertsect viewbksp viewh
	viewkind viewnobound viewscale vieww viewzk wbitmap wbmbitspixel wbmplanes wbmwidthbyte webhidden wgrffmtfilter widctlpar widowctrl
	windowcaption wmetafile wpeqn wpjst wpsp wraparound wrapdefault wrapthrough wraptight wraptrsp writereservation writereservhash wrppunct xe
	xef xform xmlattr xmlattrname xmlattrns xmlattrvalue xmlclose xmlname xmlns xmlnstbl xmlopen xmlsdttcell xmlsdttpara xmlsdttregular
	xmlsdttrow xmlsdttunknown yr yts yxe zwbo zwj zwnbo zwnj`)
